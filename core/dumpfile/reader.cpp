#include "core/dumpfile/reader.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <tuple>

#include "core/base/error.h"
#include "core/base/printable.h"
#include "core/base/version.h"
#include "core/dumpfile/guessed_type.h"

namespace npuscope::dumpfile {

namespace {

constexpr size_t kMostWarnings = 20;
// /input/<argument>/<argument>_<i> needs two; a group that links to itself must end somewhere.
constexpr int kDeepestArgument = 3;

bool is_byte(DType dtype) {
    return dtype == DType::kInt8 || dtype == DType::kUInt8 || dtype == DType::kBool;
}

bool before(const OpId& a, const OpId& b) {
    return std::tie(a.seqid, a.op) < std::tie(b.seqid, b.op);
}

}  // namespace

bool Entry::is_tensor() const {
    return save_type == static_cast<int64_t>(SaveType::kTensor) ||
           save_type == static_cast<int64_t>(SaveType::kUnmappedTensor);
}

std::optional<DType> Entry::dtype() const {
    if (!stored.dtype || stored.null_space) return std::nullopt;
    const DType file_dtype = *stored.dtype;
    if (stored_from == name_of(DType::kBFloat16) && file_dtype == DType::kFloat32)
        return DType::kBFloat16;
    if (!data_type || *data_type < 0 || *data_type > 255) return file_dtype;
    const auto declared = dtype_from_dump_code(static_cast<int>(*data_type));
    if (declared == DType::kFloat16 && file_dtype == DType::kFloat32) return declared;
    if (declared && is_byte(*declared) && is_byte(file_dtype)) return declared;
    return file_dtype;
}

Reader::Reader(const std::filesystem::path& path)
    : file_(path),
      index_(file_.index()),
      warnings_(index_.warnings()),
      skipped_count_(index_.skipped_count()),
      unreadable_count_(index_.skipped_count()) {
    read_root_attributes();
    index_ops();
}

void Reader::read_root_attributes() {
    for (const std::string_view name : index_.attribute_names(0))
        if (const auto text = index_.text(0, name)) run_facts_.emplace_back(name, *text);
    if (index_[0].damaged_attributes)
        warnings_.emplace_back("attributes of '/' are damaged: facts of the run are missing");
    const std::string version = run_fact("FormatVersion");
    if (version.empty()) return;
    int major = 0;
    const auto [end, failure] =
        std::from_chars(version.data(), version.data() + version.size(), major);
    const bool understood =
        failure == std::errc() && (end == version.data() + version.size() || *end == '.');
    if (!understood || major < 0)
        throw Error(ErrorKind::kFormat,
                    in_quotes(path()) + " has the dump format version " + in_quotes(version) +
                        ", which is no version number");
    if (major > kDumpFormatMajor)
        throw Error(ErrorKind::kUnsupported,
                    in_quotes(path()) + " has dump format version " + printable(version) +
                        "; this npuscope (" + kVersion + ") knows versions up to " +
                        std::to_string(kDumpFormatMajor) + ".x: use a newer npuscope");
}

std::string Reader::incompleteness() const {
    if (complete()) return {};
    const std::string why = run_fact("Note");
    return in_quotes(path()) + " is incomplete" + (why.empty() ? "" : ": " + printable(why));
}

void Reader::index_ops() {
    for (int32_t op = index_[0].first_child; op >= 0; op = index_[op].next_sibling) {
        if (index_[op].kind != h5::ObjectKind::kGroup || index_[op].leads_back) {
            skip(op, "it is no group of runs");
            continue;
        }
        for (int32_t run = index_[op].first_child; run >= 0; run = index_[run].next_sibling) {
            const auto seqid = parse_seqid(index_[run].name);
            const bool is_group =
                index_[run].kind == h5::ObjectKind::kGroup && !index_[run].leads_back;
            if (is_group && seqid)
                index_op(run, {std::string(index_[op].name), *seqid});
            else
                skip(run, "its name or kind is not that of a run");
        }
    }
    std::stable_sort(ops_.begin(), ops_.end(), [](const OpEntry& a, const OpEntry& b) {
        return before(a.id, b.id);
    });
}

void Reader::index_op(int32_t run, const OpId& id) {
    OpEntry entry;
    entry.id = id;
    for (int32_t part = index_[run].first_child; part >= 0; part = index_[part].next_sibling) {
        const std::string_view name = index_[part].name;
        const bool is_group = index_[part].kind == h5::ObjectKind::kGroup;
        if (is_group && name == name_of(Direction::kInput))
            index_below(entry, part, "", Direction::kInput);
        else if (is_group && name == name_of(Direction::kOutput))
            index_below(entry, part, "", Direction::kOutput);
        else if (name == "npuscope" && index_[part].kind == h5::ObjectKind::kDataset)
            entry.facts_json = facts_of(part);
        else
            skip(part, "it is neither input nor output");
    }
    std::sort(entry.entries.begin(), entry.entries.end(), [](const Entry& a, const Entry& b) {
        return std::tie(a.direction, a.argument) < std::tie(b.direction, b.argument);
    });
    ops_.push_back(std::move(entry));
}

std::string Reader::facts_of(int32_t dataset) {
    if (const auto text = index_.stored_text(dataset)) return std::string(*text);
    try {
        return file_.read_string(index_.path(dataset));
    } catch (const Error& error) {
        skip(dataset, error.what());
        return {};
    }
}

void Reader::index_below(OpEntry& op,
                         int32_t group,
                         const std::string& argument,
                         Direction direction) {
    for (int32_t node = index_[group].first_child; node >= 0; node = index_[node].next_sibling) {
        const h5::Node& of = index_[node];
        std::string below = argument.empty() ? std::string(of.name)
                                             : std::string(argument).append("/").append(of.name);
        if (of.kind == h5::ObjectKind::kDataset)
            add_entry(op, node, std::move(below), direction);
        else if (of.kind != h5::ObjectKind::kGroup)
            skip(node, "it is no dataset");
        else if (of.leads_back)
            skip(node, "it leads back to a group above it");
        else if (std::count(below.begin(), below.end(), '/') + 1 < kDeepestArgument)
            index_below(op, node, below, direction);
        else
            skip(node, "it is nested too deeply");
    }
}

void Reader::add_entry(OpEntry& op, int32_t dataset, std::string argument, Direction direction) {
    if (index_[dataset].damaged_attributes) {
        skip(dataset, "its attributes are damaged");
        ++unreadable_count_;
        return;
    }
    Entry entry;
    entry.path = index_.path(dataset);
    entry.argument = std::move(argument);
    entry.direction = direction;
    entry.save_type = index_.integer(dataset, "Type");
    entry.data_type = index_.integer(dataset, "DataType");
    entry.device_type = index_.integer(dataset, "DeviceType");
    entry.compute_type =
        compute_type_from_name(index_.text(dataset, "ComputeType").value_or(std::string_view()))
            .value_or(ComputeType::kNone);
    entry.stored_from = index_.text(dataset, "StoredFrom").value_or(std::string_view());
    entry.stored = index_.dataset(dataset);
    entry.node = dataset;
    if (!entry.save_type && !entry.stored.null_space)
        if (const auto type =
                guessed_type(direction, entry.argument, entry.stored.dtype, entry.stored.shape))
            entry.save_type = static_cast<int64_t>(*type);
    op.entries.push_back(std::move(entry));
}

void Reader::skip(int32_t node, const std::string& reason) {
    ++skipped_count_;
    if (warnings_.size() < kMostWarnings)
        warnings_.push_back(in_quotes(index_.path(node)) + " left out: " + reason);
}

const OpEntry* Reader::find(const OpId& id) const {
    const auto found =
        std::lower_bound(ops_.begin(), ops_.end(), id, [](const OpEntry& op, const OpId& wanted) {
            return before(op.id, wanted);
        });
    return found != ops_.end() && found->id == id ? &*found : nullptr;
}

h5::Elements Reader::elements(const Entry& entry) const {
    return entry.node >= 0 ? file_.elements(index_, entry.node) : file_.elements(entry.path);
}

Tensor Reader::read_stored(const Entry& entry) const {
    return elements(entry).whole();
}

Tensor Reader::read(const Entry& entry) const {
    Tensor stored = read_stored(entry);
    const DType wanted = entry.dtype().value_or(stored.dtype());
    if (wanted == stored.dtype()) return stored;
    // The same byte under its other sign.
    if (wanted == DType::kUInt8 || wanted == DType::kInt8)
        return Tensor::copy_of(wanted, stored.shape(), stored.data());
    return stored.cast(wanted);
}

std::string Reader::run_fact(const std::string& name) const {
    for (const auto& [fact, text] : run_facts_)
        if (fact == name) return text;
    return {};
}

ComputeType OpEntry::compute_type() const {
    for (const Entry& entry : entries)
        if (entry.compute_type != ComputeType::kNone) return entry.compute_type;
    return ComputeType::kNone;
}

bool OpEntry::has_inputs() const {
    return std::any_of(entries.begin(), entries.end(), [](const Entry& entry) {
        return entry.direction == Direction::kInput && entry.is_tensor();
    });
}

bool Reader::has_inputs() const {
    return std::any_of(ops_.begin(), ops_.end(), [](const OpEntry& op) {
        return std::any_of(op.entries.begin(), op.entries.end(), [](const Entry& entry) {
            return entry.direction == Direction::kInput;
        });
    });
}

}  // namespace npuscope::dumpfile
