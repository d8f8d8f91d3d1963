#include <algorithm>
#include <memory>
#include <unordered_map>

#include "core/base/error.h"
#include "core/base/printable.h"
#include "core/dumpfile/reader.h"
#include "core/dumpfile/unmatched.h"
#include "core/npz/tensor_files.h"
#include "core/recording/dump_elements.h"
#include "core/recording/source.h"
#include "core/recording/tree.h"

namespace npuscope {

namespace {

Source open_folder(const std::filesystem::path& path) {
    const std::vector<RecordedRun> runs = recorded_runs(path);
    if (runs.size() > 1)
        throw Error(ErrorKind::kUsage,
                    in_quotes(path) + " holds " + std::to_string(runs.size()) +
                        " recorded runs; name one, " + in_quotes(runs.front().path) +
                        " for example");
    const std::filesystem::path& run = runs.front().path;
    return std::filesystem::is_directory(run) ? source_of_cann_folder(run) : source_of_msprobe(run);
}

/// op, direction and argument of "op.output.0", nothing for other names.
struct TensorName {
    std::string op;
    dumpfile::Direction direction;
    std::string argument;
};

std::optional<TensorName> parse_name(const std::string& name) {
    constexpr std::string_view kSeparators = "._:/";
    const auto separates = [&](size_t at) {
        return kSeparators.find(name[at]) != std::string_view::npos;
    };
    // The last such word between separators counts; an argument may be called "input" itself.
    for (size_t at = name.size(); at-- > 2;)
        for (const auto& [word, direction] : {std::pair("input", dumpfile::Direction::kInput),
                                              {"output", dumpfile::Direction::kOutput}}) {
            const size_t end = at + std::string_view(word).size();
            if (name.compare(at, end - at, word) == 0 && end + 1 < name.size() &&
                separates(at - 1) && separates(end))
                return TensorName{name.substr(0, at - 1), direction, name.substr(end + 1)};
        }
    return std::nullopt;
}

/// Of an op whose tensors were kept by their numbers alone.
std::vector<SourceTensor> tensors_by_statistics(const dumpfile::OpEntry& op) {
    std::vector<SourceTensor> tensors;
    const dumpfile::OpFacts facts = op.facts();
    if (!facts.statistics) return tensors;
    for (const auto& [path, tensor] : *facts.statistics) {
        const size_t slash = path.find('/');
        const bool is_input = path.substr(0, slash) == "input";
        if (slash == std::string::npos || (!is_input && path.substr(0, slash) != "output"))
            continue;
        tensors.push_back(
            {.direction = is_input ? dumpfile::Direction::kInput : dumpfile::Direction::kOutput,
             .argument = path.substr(slash + 1),
             .path = op.id.path() + "/" + path,
             .dtype = std::string(name_of(tensor.dtype)),
             .shape = tensor.shape,
             .statistics = recorded_of(tensor.statistics)});
    }
    return tensors;
}

std::vector<SourceTensor> tensors_of(const dumpfile::Reader& reader, const dumpfile::OpEntry& op) {
    std::vector<SourceTensor> tensors;
    tensors.reserve(op.entries.size());
    for (const dumpfile::Entry& entry : op.entries) {
        if (!entry.is_tensor()) continue;
        const auto dtype = entry.dtype();
        tensors.push_back(
            {.direction = entry.direction,
             .argument = entry.argument,
             .path = entry.path,
             .dtype = dtype ? std::string(name_of(*dtype)) : entry.stored.numpy_name,
             .compute_type = entry.compute_type,
             .shape = entry.stored.shape,
             .open = [&reader, &entry] { return std::make_unique<DumpElements>(reader, entry); }});
    }
    return tensors.empty() ? tensors_by_statistics(op) : tensors;
}

/// Without tensors of its own the dump may hold statistics of inputs.
bool has_inputs(const dumpfile::Reader& reader) {
    if (reader.has_inputs()) return true;
    for (const dumpfile::OpEntry& op : reader.ops()) {
        const auto is_tensor = [](const dumpfile::Entry& entry) { return entry.is_tensor(); };
        if (std::ranges::any_of(op.entries, is_tensor)) return false;
        for (const SourceTensor& tensor : tensors_by_statistics(op))
            if (tensor.direction == dumpfile::Direction::kInput) return true;
    }
    return false;
}

/// Behind the op that ran before each.
void add_unmatched(const std::vector<dumpfile::UnmatchedOp>& unmatched, Source& source) {
    std::unordered_map<std::string, std::vector<SourceOp>> behind;
    for (const dumpfile::UnmatchedOp& op : unmatched) {
        const OpSource& place = op.source;
        behind[op.after].push_back({.id = op.id,
                                    .path = op.id.path(),
                                    .load = [] { return std::vector<SourceTensor>(); },
                                    .facts =
                                        [place] {
                                            SideFacts facts;
                                            facts.recorded.source = place;
                                            return facts;
                                        },
                                    .place = [place] { return place; },
                                    .unmatched = op.why,
                                    .unmatched_argument = op.argument});
    }
    std::vector<SourceOp> ops = std::exchange(behind[""], {});
    for (SourceOp& op : source.ops) {
        std::vector<SourceOp> next = std::exchange(behind[op.path], {});
        ops.push_back(std::move(op));
        std::ranges::move(next, std::back_inserter(ops));
    }
    source.ops = std::move(ops);
}

}  // namespace

void SourceTensor::hold(const Tensor& tensor) {
    dtype = name_of(tensor.dtype());
    shape = tensor.shape();
    open = [tensor] { return std::make_unique<TensorElements>(tensor); };
}

bool is_array_file(const std::filesystem::path& path) {
    const std::string extension = path.extension().string();
    return extension == ".npz" || extension == ".npy" || extension == ".pt" ||
           extension == ".pth" || extension == ".safetensors";
}

Source source_of_arrays(const NamedTensors& arrays, const ArrayHistories& histories, Arrays form) {
    std::vector<std::pair<std::string, std::vector<SourceTensor>>> ops;
    std::unordered_map<std::string, size_t> places;
    for (const auto& [name, array] : arrays) {
        const auto parsed = form == Arrays::kOfOps ? parse_name(name) : std::nullopt;
        SourceTensor tensor;
        tensor.direction = parsed ? parsed->direction : dumpfile::Direction::kOutput;
        tensor.argument = parsed ? parsed->argument : form == Arrays::kAlone ? name : "0";
        tensor.path = name;
        if (const auto known = histories.find(name); known != histories.end()) {
            tensor.compute_type = known->second.compute_type;
            tensor.history = known->second;
        }
        tensor.hold(array);
        const std::string& op = parsed ? parsed->op : name;
        const auto [place, fresh] = places.try_emplace(op, ops.size());
        if (fresh) ops.push_back({op, {}});
        ops[place->second].second.push_back(std::move(tensor));
    }
    Source source;
    for (auto& [name, tensors] : ops)
        source.ops.push_back({{name, 0}, name, [tensors = std::move(tensors)] { return tensors; }});
    return source;
}

SourceOp source_op(const dumpfile::Reader& reader, const dumpfile::OpEntry& op) {
    uint64_t bytes = 0;
    for (const dumpfile::Entry& entry : op.entries)
        if (entry.is_tensor()) bytes += entry.stored.storage_bytes;
    return {op.id,
            op.id.path(),
            [&reader, &op] { return tensors_of(reader, op); },
            [&reader, &op]() -> SideFacts {
                return {op.facts(), plain_arguments(reader, op)};
            },
            bytes,
            [&op] { return op.facts().source; }};
}

std::optional<int64_t> device_of(const dumpfile::Reader& reader) {
    for (const dumpfile::OpEntry& op : reader.ops())
        for (const dumpfile::Entry& entry : op.entries)
            if (entry.is_tensor() && entry.device_type) return entry.device_type;
    return std::nullopt;
}

Source source_of_dump(std::shared_ptr<const dumpfile::Reader> reader) {
    Source source{.numbered = true, .has_inputs = has_inputs(*reader)};
    if (!reader->complete()) source.remarks.push_back(reader->incompleteness());
    source.release = [&dump = *reader] { dump.index().release_pages(); };
    source.device = device_of(*reader);
    source.device_name = reader->run_fact("Device");
    source.device_options = reader->run_fact("Options");
    source.ops.reserve(reader->ops().size());
    for (const dumpfile::OpEntry& op : reader->ops())
        source.ops.push_back(source_op(*reader, op));
    if (const std::string unmatched = reader->run_fact("Unmatched"); !unmatched.empty())
        add_unmatched(dumpfile::parse_unmatched(unmatched), source);
    source.owner = std::move(reader);
    return source;
}

Source open_source(const std::filesystem::path& path, Arrays form) {
    if (std::filesystem::is_directory(path)) return open_folder(path);
    const std::string extension = path.extension().string();
    if (extension == ".h5" || extension == ".hdf5")
        return source_of_dump(std::make_shared<const dumpfile::Reader>(path));
    if (path.filename() == "dump.json" || path.filename() == "debug.json")
        return source_of_msprobe(path);
    if (extension == ".npz")
        return source_of_arrays(read_npz(path), read_npz_histories(path), form);
    if (extension == ".npy")
        return source_of_arrays({{path.stem().string(), read_npy(path)}}, {}, form);
    if (extension == ".pt" || extension == ".pth")
        return source_of_arrays(read_torch_file(path), {}, form);
    if (extension == ".safetensors") return source_of_arrays(read_safetensors(path), {}, form);
    throw Error(ErrorKind::kUsage,
                in_quotes(path) +
                    " is no .h5 dump, no .npz, .npy, .pt or .safetensors file, no dump.json and no "
                    "folder of dumps; nothing else can be compared");
}

}  // namespace npuscope
