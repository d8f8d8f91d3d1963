#include "core/h5/raw_copy.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/printable.h"
#include "core/h5/messages.h"
#include "core/h5/object_header.h"
#include "core/h5/old_group.h"
#include "core/h5/state.h"
#include "core/h5/superblock.h"

namespace npuscope::h5 {

namespace {

constexpr size_t kDeepestCopy = 64;

/// Whether elements of the type lie elsewhere, or may: strings of any length, references, and the
/// types made of others.
bool refers_elsewhere(Cursor type) {
    switch (type.u8() & 0xf) {
        case 0:  // integer
        case 1:  // float
        case 2:  // time
        case 3:  // text
        case 4:  // bits
        case 5:  // opaque
        case 8:  // enumeration
            return false;
        default:
            return true;
    }
}

/// What an object's header says.
struct Source {
    std::vector<Message> kept;  ///< messages that are copied as they stand
    std::optional<Cursor> layout, space, type;
    std::optional<std::pair<uint64_t, uint64_t>> symbol_table;
    std::map<std::string, uint64_t, std::less<>> links;
    bool is_group = false;
    bool has_attributes = false;
};

}  // namespace

struct RawCopy::State {
    State(const InputFile& source, AppendWriter& writer)
        : path(source.path()),
          mapping(source.mapped()),
          superblock(source.superblock()),
          limit(superblock.file.size()),
          headers(superblock.file, limit),
          target(writer) {}

    Source read(uint64_t address);
    void note(const Message& message, Source& object);
    void list_symbols(Source& object);
    /// The links of a group; those of groups on the way to what is copied are kept.
    const std::map<std::string, uint64_t, std::less<>>& links_of(uint64_t group);
    uint64_t find(const std::string& from);
    void copy(uint64_t address, const std::string& to, size_t depth);
    void copy_dataset(uint64_t address, const Source& object, const std::string& to);

    std::filesystem::path path;
    std::shared_ptr<const MappedFile> mapping;
    Superblock superblock;
    WorkLimit limit;
    ObjectHeader headers;
    AppendWriter& target;
    std::unordered_map<uint64_t, AppendWriter::Address> copied;  ///< datasets, by their address
    std::unordered_map<uint64_t, std::map<std::string, uint64_t, std::less<>>> listed;
};

Source RawCopy::State::read(uint64_t address) {
    Source object;
    headers.for_each_message(address, [&](const Message& message) { note(message, object); });
    if (object.symbol_table) list_symbols(object);
    return object;
}

void RawCopy::State::note(const Message& message, Source& object) {
    if (message.is_shared()) throw Unsupported{"a shared message"};
    Cursor in = message.content;
    switch (message.type) {
        case MessageType::kDataspace:
            object.space = in;
            break;
        case MessageType::kDatatype:
            object.type = in;
            if (refers_elsewhere(in)) throw Unsupported{"elements that lie elsewhere"};
            break;
        case MessageType::kLayout:
            object.layout = in;
            return;
        case MessageType::kAttribute:
            object.has_attributes = true;
            if (refers_elsewhere(read_attribute(in).type))
                throw Unsupported{"an attribute that lies elsewhere"};
            break;
        case MessageType::kAttributeInfo:
            if (has_dense_attributes(in)) throw Unsupported{"attributes in a heap"};
            return;
        case MessageType::kFillValue:
        case MessageType::kOldFillValue:
        case MessageType::kComment:
        case MessageType::kOldTime:
        case MessageType::kTime:
            break;
        case MessageType::kGroupInfo:
        case MessageType::kReferenceCount:
            return;
        case MessageType::kSymbolTable: {
            object.is_group = true;
            const uint64_t tree = in.u64();
            object.symbol_table = {tree, in.u64()};
            return;
        }
        case MessageType::kLinkInfo: {
            object.is_group = true;
            const LinkInfo info = read_link_info(in);
            if (info.is_dense || info.tracks_order) throw Unsupported{"links of another kind"};
            return;
        }
        case MessageType::kLink: {
            const LinkMessage link = read_link(in);
            if (!link.address) throw Unsupported{"a soft link"};
            object.links.emplace(link.name, *link.address);
            return;
        }
        default:
            throw Unsupported{"an uncommon message"};
    }
    object.kept.push_back(message);
}

void RawCopy::State::list_symbols(Source& object) {
    SymbolTable(superblock.file, limit)
        .list(
            object.symbol_table->first,
            object.symbol_table->second,
            [&](const Symbol& symbol) {
                if (symbol.is_soft) throw Unsupported{"a soft link"};
                object.links.emplace(symbol.name, symbol.address);
            },
            [](const char* reason) { throw Damaged{reason}; });
}

const std::map<std::string, uint64_t, std::less<>>& RawCopy::State::links_of(uint64_t group) {
    const auto known = listed.find(group);
    if (known != listed.end()) return known->second;
    return listed.emplace(group, read(group).links).first->second;
}

uint64_t RawCopy::State::find(const std::string& from) {
    uint64_t address = superblock.root;
    std::string_view rest = from;
    while (!rest.empty()) {
        rest.remove_prefix(1);
        const std::string_view name = rest.substr(0, rest.find('/'));
        rest.remove_prefix(name.size());
        const auto& links = links_of(address);
        const auto found = links.find(name);
        if (found == links.end()) throw Damaged{"a name is missing"};
        address = found->second;
    }
    return address;
}

void RawCopy::State::copy(uint64_t address, const std::string& to, size_t depth) {
    const auto known = copied.find(address);
    if (known != copied.end()) return target.link(known->second, to);
    const Source object = read(address);
    if (!object.is_group) return copy_dataset(address, object, to);
    if (object.has_attributes) throw Unsupported{"a group with attributes"};
    if (depth == kDeepestCopy) throw Unsupported{"groups that lead back to themselves"};
    target.create_group(to);
    std::string path = to + "/";
    for (const auto& [name, child] : object.links) {
        path.replace(to.size() + 1, std::string::npos, name);
        copy(child, path, depth + 1);
    }
    if (depth > 0) target.finish_group(to);
}

void RawCopy::State::copy_dataset(uint64_t address, const Source& object, const std::string& to) {
    if (!object.layout || !object.space || !object.type) throw Unsupported{"no dataset"};
    const Layout layout = read_layout(*object.layout);
    std::vector<StoredMessage> messages;
    for (const Message& message : object.kept) {
        Cursor content = message.content;
        const size_t size = content.left();
        messages.push_back({static_cast<uint8_t>(message.type), {content.take(size), size}});
    }
    std::span<const std::byte> elements;
    if (layout.layout_class == Layout::Class::kCompact) {
        elements = {layout.compact, layout.size};
    } else {
        const uint64_t size = static_cast<uint64_t>(read_dataspace(*object.space).numel) *
                              read_datatype(*object.type).size;
        if (layout.has_size && layout.size != size) throw Unsupported{"an odd size"};
        if (layout.address != kUndefinedAddress && size > 0)
            elements = {superblock.file.at(layout.address, size).position(), size};
        else if (size > 0)
            throw Unsupported{"elements that were never written"};
    }
    copied.emplace(address, target.write_stored(to, messages, elements));
}

RawCopy::RawCopy(const Reader& source, AppendWriter& target) {
    if (!source.state_->mapped()) throw Error(ErrorKind::kUnsupported, "the file cannot be mapped");
    try {
        state_ = std::make_unique<State>(*source.state_, target);
    } catch (const std::exception& odd) {
        throw Error(ErrorKind::kUnsupported, odd.what());
    }
}

RawCopy::~RawCopy() = default;

void RawCopy::copy(const std::string& from, const std::string& to) {
    try {
        state_->copy(state_->find(from), to, 0);
    } catch (const Damaged& damage) {
        require_intact();
        throw Error(ErrorKind::kUnsupported, damage.reason);
    } catch (const Unsupported& odd) {
        require_intact();
        throw Error(ErrorKind::kUnsupported, odd.reason);
    } catch (const Error&) {
        // What is written straight from the mapping fails where the source has no bytes any more.
        require_intact();
        throw;
    }
}

void RawCopy::require_intact() const {
    std::error_code failure;
    const auto size = std::filesystem::file_size(state_->path, failure);
    if (!state_->mapping->is_intact() || (!failure && size < state_->mapping->bytes().size()))
        throw Error(ErrorKind::kIo, in_quotes(state_->path) + " became shorter while it was read");
}

}  // namespace npuscope::h5
