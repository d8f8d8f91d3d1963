#include <algorithm>
#include <memory>
#include <unordered_map>

#include "core/base/words.h"
#include "core/dumpfile/reader.h"
#include "core/dumpfile/unmatched.h"
#include "core/naming/ir_name.h"
#include "core/recording/dump_elements.h"
#include "core/recording/overwritten_inputs.h"
#include "core/recording/source.h"

namespace npuscope {

namespace {

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

/// "input/self" of an op: direction, argument and path; empty where it is neither input nor output.
std::optional<SourceTensor> tensor_at(const dumpfile::OpEntry& op, const std::string& path) {
    const size_t slash = path.find('/');
    const bool is_input = path.substr(0, slash) == "input";
    if (slash == std::string::npos || (!is_input && path.substr(0, slash) != "output"))
        return std::nullopt;
    return SourceTensor{
        .direction = is_input ? dumpfile::Direction::kInput : dumpfile::Direction::kOutput,
        .argument = path.substr(slash + 1),
        .path = op.id.path() + "/" + path,
        .dtype = {},
        .shape = {}};
}

/// Of an op whose tensors were kept by their numbers or hashes alone.
std::vector<SourceTensor> tensors_by_facts(const dumpfile::OpEntry& op) {
    std::vector<SourceTensor> tensors;
    const dumpfile::OpFacts facts = op.facts();
    if (facts.statistics)
        for (const auto& [path, row] : *facts.statistics)
            if (auto tensor = tensor_at(op, path)) {
                tensor->dtype = std::string(name_of(row.dtype));
                tensor->shape = row.shape;
                tensor->statistics = recorded_of(row.statistics);
                tensors.push_back(std::move(*tensor));
            }
    if (facts.hashes)
        for (const auto& [path, row] : *facts.hashes)
            if (auto tensor = tensor_at(op, path)) {
                tensor->dtype = std::string(name_of(row.dtype));
                tensor->shape = row.shape;
                tensor->hash = row.hash;
                tensors.push_back(std::move(*tensor));
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
             .open = [&reader, &entry] { return std::make_unique<DumpElements>(reader, entry); },
             .storage = entry.stored.offset});
    }
    return tensors.empty() ? tensors_by_facts(op) : tensors;
}

/// Without tensors of its own the dump may hold statistics of inputs.
bool has_inputs(const dumpfile::Reader& reader) {
    if (reader.has_inputs()) return true;
    for (const dumpfile::OpEntry& op : reader.ops()) {
        const auto is_tensor = [](const dumpfile::Entry& entry) { return entry.is_tensor(); };
        if (std::ranges::any_of(op.entries, is_tensor)) return false;
        for (const SourceTensor& tensor : tensors_by_facts(op))
            if (tensor.direction == dumpfile::Direction::kInput) return true;
    }
    return false;
}

/// Behind the op that ran before each.
void add_unmatched(const std::vector<dumpfile::UnmatchedOp>& unmatched, Source& source) {
    std::unordered_map<std::string, std::vector<SourceOp>> behind;
    for (const dumpfile::UnmatchedOp& op : unmatched) {
        dumpfile::OpFacts known;
        known.source = op.source;
        behind[op.after].push_back({.id = {ir_name(op.id.op), op.id.seqid},
                                    .path = op.id.path(),
                                    .load = [] { return std::vector<SourceTensor>(); },
                                    .facts = [known]() -> SideFacts {
                                        return {known, {}};
                                    },
                                    .place = [known] { return known.source; },
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

Tensor SourceTensor::kept() const {
    const auto elements = open();
    return ignored ? KeptElements(*elements, *ignored).whole() : elements->whole();
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
    return {{ir_name(op.id.op), op.id.seqid},
            op.id.path(),
            [&reader, &op] { return tensors_of(reader, op); },
            [&reader, &op]() -> SideFacts {
                dumpfile::OpFacts facts = op.facts();
                std::vector<PlainArgument> arguments = plain_arguments(reader, op, facts);
                return {std::move(facts), std::move(arguments)};
            },
            bytes,
            [&op] { return op.facts().source; },
            [&op] { return op.facts(); }};
}

std::optional<int64_t> device_of(const dumpfile::Reader& reader) {
    for (const dumpfile::OpEntry& op : reader.ops())
        for (const dumpfile::Entry& entry : op.entries)
            if (entry.is_tensor() && entry.device_type) return entry.device_type;
    return std::nullopt;
}

Source source_of_dump(std::shared_ptr<const dumpfile::Reader> reader) {
    Source source{.numbered = true, .has_inputs = has_inputs(*reader)};
    source.complete = reader->complete();
    if (!source.complete) source.remarks.push_back(reader->incompleteness());
    source.left_out = reader->warnings();
    source.left_out_count = reader->skipped_count();
    source.unreadable = reader->unreadable_count();
    source.release = [&dump = *reader] { dump.index().release_pages(); };
    source.device = device_of(*reader);
    source.device_name = reader->run_fact("Device");
    source.device_options = reader->run_fact("Options");
    source.sample = std::max<int64_t>(natural(reader->run_fact("Sample")).value_or(1), 1);
    source.ops.reserve(reader->ops().size());
    for (const dumpfile::OpEntry& op : reader->ops())
        source.ops.push_back(source_op(*reader, op));
    if (const std::string unmatched = reader->run_fact("Unmatched"); !unmatched.empty())
        add_unmatched(dumpfile::parse_unmatched(unmatched), source);
    set_apart_overwritten(source);
    source.owner = std::move(reader);
    return source;
}

}  // namespace npuscope
