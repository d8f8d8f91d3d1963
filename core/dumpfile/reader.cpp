#include "core/dumpfile/reader.h"

#include <algorithm>
#include <charconv>
#include <tuple>

#include "core/base/error.h"
#include "core/base/printable.h"
#include "core/base/version.h"

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

Reader::Reader(const std::filesystem::path& path) : file_(path) {
    read_root_attributes();
    index_ops();
}

void Reader::read_root_attributes() {
    for (const std::string& name : file_.attribute_names("/"))
        if (auto text = file_.string_attribute("/", name))
            run_facts_.emplace_back(name, std::move(*text));
    const std::string version = run_fact("FormatVersion");
    if (version.empty()) return;
    int major = 0;
    const auto [end, failure] =
        std::from_chars(version.data(), version.data() + version.size(), major);
    const bool understood =
        failure == std::errc() && (end == version.data() + version.size() || *end == '.');
    if (!understood || major < 0)
        throw Error(ErrorKind::kFormat,
                    "'" + printable(path().string()) + "' has the dump format version '" +
                        printable(version) + "', which is no version number");
    if (major > kDumpFormatMajor)
        throw Error(ErrorKind::kUnsupported,
                    "'" + printable(path().string()) + "' has dump format version " +
                        printable(version) + "; this npuscope (" + kVersion +
                        ") knows versions up to " + std::to_string(kDumpFormatMajor) +
                        ".x: use a newer npuscope");
}

void Reader::index_ops() {
    for (const auto& [op, op_kind] : file_.typed_children("/")) {
        const std::string path = "/" + op;
        if (op_kind != h5::ObjectKind::kGroup) {
            skip(path, "it is no group of runs");
            continue;
        }
        for (const auto& [seqid, kind] : file_.typed_children(path)) {
            if (kind != h5::ObjectKind::kGroup || !parse_seqid(seqid)) {
                skip(path + "/" + seqid, "its name or kind is not that of a run");
                continue;
            }
            index_op(op, seqid);
        }
    }
    std::stable_sort(ops_.begin(), ops_.end(), [](const OpEntry& a, const OpEntry& b) {
        return before(a.id, b.id);
    });
}

void Reader::index_op(const std::string& op, const std::string& seqid) {
    const std::string path = "/" + op + "/" + seqid;
    OpEntry entry;
    entry.id = {op, *parse_seqid(seqid)};
    for (const auto& [name, kind] : file_.typed_children(path)) {
        const std::string child = path + "/" + name;
        const bool is_group = kind == h5::ObjectKind::kGroup;
        if (is_group && name == name_of(Direction::kInput)) {
            index_below(entry, child, "", Direction::kInput);
        } else if (is_group && name == name_of(Direction::kOutput)) {
            index_below(entry, child, "", Direction::kOutput);
        } else if (name == "npuscope" && kind == h5::ObjectKind::kDataset) {
            try {
                entry.facts_json = file_.read_string(child);
            } catch (const Error& error) {
                skip(child, error.what());
            }
        } else {
            skip(child, "it is neither input nor output");
        }
    }
    std::sort(entry.entries.begin(), entry.entries.end(), [](const Entry& a, const Entry& b) {
        return std::tie(a.direction, a.argument) < std::tie(b.direction, b.argument);
    });
    ops_.push_back(std::move(entry));
}

void Reader::index_below(OpEntry& op,
                         const std::string& group,
                         const std::string& argument,
                         Direction direction) {
    for (const auto& [name, kind] : file_.typed_children(group)) {
        const std::string path = group + "/" + name;
        const std::string below = argument.empty() ? name : argument + "/" + name;
        if (kind == h5::ObjectKind::kGroup) {
            if (std::count(below.begin(), below.end(), '/') + 1 < kDeepestArgument)
                index_below(op, path, below, direction);
            else
                skip(path, "it is nested too deeply");
            continue;
        }
        if (kind != h5::ObjectKind::kDataset) {
            skip(path, "it is no dataset");
            continue;
        }
        try {
            Entry entry;
            entry.path = path;
            entry.argument = below;
            entry.direction = direction;
            h5::DatasetDescription found = file_.describe(path);
            entry.save_type = found.integer("Type");
            entry.data_type = found.integer("DataType");
            entry.device_type = found.integer("DeviceType");
            entry.compute_type = found.text("ComputeType");
            entry.stored_from = found.text("StoredFrom");
            entry.stored = std::move(found.info);
            op.entries.push_back(std::move(entry));
        } catch (const Error& error) {
            skip(path, error.what());
        }
    }
}

void Reader::skip(const std::string& path, const std::string& reason) {
    ++skipped_count_;
    if (warnings_.size() < kMostWarnings)
        warnings_.push_back("'" + printable(path) + "' left out: " + reason);
}

const OpEntry* Reader::find(const OpId& id) const {
    const auto found =
        std::lower_bound(ops_.begin(), ops_.end(), id, [](const OpEntry& op, const OpId& wanted) {
            return before(op.id, wanted);
        });
    return found != ops_.end() && found->id == id ? &*found : nullptr;
}

Tensor Reader::read(const Entry& entry) const {
    Tensor stored = file_.read(entry.path);
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

bool Reader::has_inputs() const {
    return std::any_of(ops_.begin(), ops_.end(), [](const OpEntry& op) {
        return std::any_of(op.entries.begin(), op.entries.end(), [](const Entry& entry) {
            return entry.direction == Direction::kInput;
        });
    });
}

}  // namespace npuscope::dumpfile
