#include "core/h5/append_writer.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/error.h"
#include "core/base/printable.h"
#include "core/h5/append_file.h"
#include "core/h5/chunk_tree.h"
#include "core/h5/header_builder.h"
#include "core/h5/link_table.h"

namespace npuscope::h5 {

namespace {

// The largest count: a dataset may get more names after its header was written, and whoever removes
// one of them with the library must not free its elements.
constexpr uint32_t kAnyNumberOfNames = 0x7fffffff;

/// Large elements begin on a page, so that they are written and mapped in whole pages.
uint64_t alignment_of(uint64_t bytes) {
    constexpr uint64_t kLarge = uint64_t{1} << 20;
    constexpr uint64_t kMedium = 4096;
    return bytes >= kLarge ? 4096 : bytes >= kMedium ? 64 : 8;
}

}  // namespace

struct AppendWriter::Group {
    std::map<std::string, std::unique_ptr<Group>, std::less<>> open;  ///< groups that may change
    LinkTable links;  ///< of everything written; an open group is there since its first commit
    bool changed = true;
    uint64_t address = 0;
};

struct AppendWriter::State {
    State(std::unique_ptr<OutputFile> output, AppendOptions options)
        : file(std::move(output), options.sync), attributes(std::move(options.root_attributes)) {
        root.links.stay_in_header();
    }

    /// The group at the path, made where it is missing; `changed` up to the root.
    Group& open_group(std::string_view path);
    /// The group that gets an object of that path, and the object's name in it.
    std::pair<Group*, std::string_view> place_of(std::string_view path);
    Address add(const std::string& path, std::span<const std::byte> header_bytes);
    uint64_t write_group(Group& group, bool last);
    [[nodiscard]] uint64_t write_bound(const Group& group) const;
    void commit(bool last);

    AppendFile file;
    HeaderBuilder header;
    std::vector<Attribute> attributes;
    Group root;
    uint64_t elements_address = kUndefinedAddress;
    bool closed = false;
};

AppendWriter::Group& AppendWriter::State::open_group(std::string_view path) {
    Group* group = &root;
    root.changed = true;
    const std::string_view whole = path;
    while (!path.empty()) {
        if (path.front() != '/') throw Error(ErrorKind::kInternal, "no path: " + in_quotes(whole));
        path.remove_prefix(1);
        const std::string_view name = path.substr(0, path.find('/'));
        path.remove_prefix(name.size());
        if (name.empty() || name == "." || name.find('\0') != std::string_view::npos)
            throw Error(ErrorKind::kInternal, "no path: " + in_quotes(whole));
        auto found = group->open.find(name);
        if (found == group->open.end()) {
            if (group->links.contains(name))
                throw Error(ErrorKind::kUsage, in_quotes(whole) + " is in the file already");
            found = group->open.emplace(name, std::make_unique<Group>()).first;
        }
        group = found->second.get();
        group->changed = true;
    }
    return *group;
}

std::pair<AppendWriter::Group*, std::string_view> AppendWriter::State::place_of(
    std::string_view path) {
    const size_t slash = path.rfind('/');
    if (slash == std::string_view::npos || slash + 1 == path.size())
        throw Error(ErrorKind::kInternal, "no path: " + in_quotes(path));
    Group& group = open_group(path.substr(0, slash));
    const std::string_view name = path.substr(slash + 1);
    if (group.links.contains(name) || group.open.find(name) != group.open.end())
        throw Error(ErrorKind::kUsage, in_quotes(path) + " is in the file already");
    return {&group, name};
}

AppendWriter::Address AppendWriter::State::add(const std::string& path,
                                               std::span<const std::byte> header_bytes) {
    const auto [group, name] = place_of(path);
    const Address address = file.append(header_bytes, 8);
    group->links.put(name, address);
    return address;
}

/// Writes what changed below and in the group.
uint64_t AppendWriter::State::write_group(Group& group, bool last) {
    if (!group.changed && !last) return group.address;
    for (const auto& [name, below] : group.open) {
        const uint64_t before = below->address;
        const uint64_t now = write_group(*below, last);
        if (now == before) continue;
        group.links.put(name, now);
        group.changed = true;
    }
    if (group.changed || group.links.has_last_form()) {
        static const std::vector<Attribute> none;
        group.address = group.links.write(file, header, &group == &root ? attributes : none, last);
    }
    group.changed = false;
    return group.address;
}

uint64_t AppendWriter::State::write_bound(const Group& group) const {
    uint64_t bytes = group.links.write_bound();
    for (const auto& [name, below] : group.open)
        bytes += write_bound(*below);
    return bytes;
}

void AppendWriter::State::commit(bool last) {
    if (!root.changed && !last) return;
    const uint64_t address = write_group(root, last);
    file.switch_to(address);
}

AppendWriter::AppendWriter(const std::filesystem::path& path, AppendOptions options)
    : AppendWriter(create_output_file(path), std::move(options)) {}

AppendWriter::AppendWriter(std::unique_ptr<OutputFile> file, AppendOptions options)
    : state_(std::make_unique<State>(std::move(file), std::move(options))) {
    commit();
}

AppendWriter::~AppendWriter() = default;
AppendWriter::AppendWriter(AppendWriter&&) noexcept = default;
AppendWriter& AppendWriter::operator=(AppendWriter&&) noexcept = default;

void AppendWriter::create_group(const std::string& path) {
    state_->open_group(path);
}

AppendWriter::Address AppendWriter::write_dataset(const std::string& path,
                                                  const TensorView& elements,
                                                  std::span<const Attribute> attributes,
                                                  int deflate) {
    constexpr uint64_t kWorthCompressing = 16384;
    TensorView stored = elements;
    if (stored.dtype == DType::kBool) stored.dtype = DType::kInt8;
    HeaderBuilder& header = state_->header;
    header.clear();
    header.dataspace(stored.shape);
    header.datatype(stored.dtype);
    header.fill_value();
    Place place;
    place.bytes = stored.nbytes();
    std::optional<Chunked> pieces;
    if (deflate > 0 && place.bytes >= kWorthCompressing)
        pieces = write_chunked(state_->file, stored, deflate);
    if (pieces) {
        const auto element_bytes = static_cast<uint32_t>(size_of(stored.dtype));
        header.chunked({pieces->tree, pieces->chunk, element_bytes, deflate});
    } else {
        if (place.bytes > 0)
            place.address =
                state_->file.append({stored.data, place.bytes}, alignment_of(place.bytes));
        header.contiguous(place);
    }
    header.reference_count(kAnyNumberOfNames);
    header.attributes(attributes);
    state_->elements_address = place.address;
    return state_->add(path, header.build());
}

uint64_t AppendWriter::elements_address() const {
    return state_->elements_address;
}

void AppendWriter::read_back(uint64_t address, std::span<std::byte> bytes) {
    state_->file.read(address, bytes);
}

AppendWriter::Address AppendWriter::write_string(const std::string& path,
                                                 const std::string& text,
                                                 std::span<const Attribute> attributes) {
    const std::string bytes = text.empty() ? std::string(1, '\0') : text;
    const Place place{state_->file.append(std::as_bytes(std::span(bytes)), 1), bytes.size()};
    HeaderBuilder& header = state_->header;
    header.clear();
    header.dataspace({});
    header.text_type(static_cast<uint32_t>(bytes.size()));
    header.fill_value();
    header.contiguous(place);
    header.attributes(attributes);
    return state_->add(path, header.build());
}

AppendWriter::Address AppendWriter::write_stored(const std::string& path,
                                                 std::span<const StoredMessage> messages,
                                                 std::span<const std::byte> elements) {
    Place place;
    place.bytes = elements.size();
    if (place.bytes > 0) place.address = state_->file.append(elements, alignment_of(place.bytes));
    HeaderBuilder& header = state_->header;
    header.clear();
    header.contiguous(place);
    header.reference_count(kAnyNumberOfNames);
    const auto is_attribute = [](const StoredMessage& message) {
        return message.type == static_cast<uint8_t>(MessageType::kAttribute);
    };
    if (std::any_of(messages.begin(), messages.end(), is_attribute)) header.attribute_info();
    for (const StoredMessage& message : messages)
        header.stored(message);
    return state_->add(path, header.build());
}

void AppendWriter::link(Address dataset, const std::string& path) {
    const auto [group, name] = state_->place_of(path);
    group->links.put(name, dataset);
}

void AppendWriter::set_root_attribute(Attribute attribute) {
    state_->root.changed = true;
    for (Attribute& known : state_->attributes) {
        if (known.name != attribute.name) continue;
        known.value = std::move(attribute.value);
        return;
    }
    state_->attributes.push_back(std::move(attribute));
}

void AppendWriter::remove_root_attribute(const std::string& name) {
    state_->root.changed = true;
    std::erase_if(state_->attributes, [&](const Attribute& known) { return known.name == name; });
}

bool AppendWriter::exists(const std::string& path) const {
    const Group* group = &state_->root;
    std::string_view rest = path;
    while (!rest.empty()) {
        rest.remove_prefix(1);
        const std::string_view name = rest.substr(0, rest.find('/'));
        rest.remove_prefix(name.size());
        if (name.empty()) return true;  // "/"
        const auto found = group->open.find(name);
        // What lies in a finished group is no longer known; nothing can be added there either.
        if (found == group->open.end()) return group->links.contains(name);
        group = found->second.get();
    }
    return true;
}

void AppendWriter::finish_group(const std::string& path) {
    const size_t slash = path.rfind('/');
    Group& above = state_->open_group(std::string_view(path).substr(0, slash));
    const auto found = above.open.find(std::string_view(path).substr(slash + 1));
    if (found == above.open.end())
        throw Error(ErrorKind::kInternal, "no open group: " + in_quotes(path));
    above.links.put(found->first, state_->write_group(*found->second, true));
    above.open.erase(found);
}

void AppendWriter::drop_group(const std::string& path) noexcept {
    std::vector<std::pair<Group*, std::string_view>> steps;
    Group* group = &state_->root;
    std::string_view rest = path;
    while (!rest.empty()) {
        const std::string_view name = rest.substr(1, rest.find('/', 1) - 1);
        const auto found = group->open.find(name);
        if (found == group->open.end()) break;
        steps.emplace_back(group, name);
        group = found->second.get();
        rest.remove_prefix(1 + name.size());
    }
    bool is_the_group = rest.empty();
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
        const auto found = step->first->open.find(step->second);
        const Group& below = *found->second;
        if (!is_the_group && !(below.open.empty() && below.links.empty())) break;
        step->first->open.erase(found);
        is_the_group = false;
    }
    state_->file.drop_partial_write();
}

void AppendWriter::commit() {
    state_->commit(false);
}

void AppendWriter::close() {
    state_->commit(true);
    state_->file.close();
    state_->closed = true;
}

uint64_t AppendWriter::size() const {
    if (state_->closed) return state_->file.end();
    uint64_t attributes = 0;
    for (const Attribute& attribute : state_->attributes) {
        constexpr uint64_t kHead = 64;
        attributes += kHead + attribute.name.size();
        if (const auto* text = std::get_if<std::string>(&attribute.value))
            attributes += text->size();
    }
    return state_->file.end() + state_->write_bound(state_->root) + attributes;
}

}  // namespace npuscope::h5
