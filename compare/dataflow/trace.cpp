#include "compare/dataflow/trace.h"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <unordered_map>

#include "compare/dataflow/tensor_pass.h"
#include "core/base/error.h"
#include "core/naming/in_place.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// Equal for tensors of one hash and numel.
uint64_t key_of(uint64_t hash, int64_t numel) {
    return hash ^ (static_cast<uint64_t>(numel) * 0x9e3779b97f4a7c15u);
}

/// Equal for equal statistics and hashes.
uint64_t print_of(const SourceTensor& tensor) {
    const RecordedStatistics statistics = tensor.statistics.value_or(RecordedStatistics{});
    uint64_t hash = static_cast<uint64_t>(numel_of(tensor.shape)) ^
                    (tensor.hash.empty() ? 0 : std::hash<std::string>()(tensor.hash));
    for (const auto& number :
         {statistics.max, statistics.min, statistics.mean, statistics.norm, statistics.l1}) {
        hash ^= number ? std::bit_cast<uint64_t>(*number) : 1;
        hash *= 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

/// Recorded when the op had written into it.
bool is_written_since(const SourceOp& op, const SourceTensor& tensor) {
    return op.shows_self_after && tensor.direction == Direction::kInput &&
           writes_over(op.id.op, tensor.argument, "result");
}

/// Of an input that `written_since` nobody knows what it held.
TracedTensor traced(size_t op, const SourceTensor& tensor, bool written_since) {
    TracedTensor entry{.op = op,
                       .direction = tensor.direction,
                       .argument = tensor.argument,
                       .path = tensor.path,
                       .dtype = tensor.dtype,
                       .shape = tensor.shape,
                       .content = {},
                       .print = {},
                       .producer = {},
                       .given = {}};
    if (written_since) return entry;
    if (!tensor.open) {
        if (tensor.statistics || !tensor.hash.empty()) entry.print = print_of(tensor);
        return entry;
    }
    try {
        const auto elements = tensor.open();
        entry.content = content_of(*elements);
        elements->require_intact();
    } catch (const Error&) {
        entry.content.reset();
    }
    return entry;
}

/// So many outputs of the same elements are looked at for one of the same dtype.
constexpr size_t kMostCasts = 8;

/// Outputs by what they hold, the latest last.
class Producers {
  public:
    void add(size_t index, const Content& content) {
        add(sequences_, key_of(content.sequence, content.numel), index);
        add(bags_, key_of(content.bag, content.numel), index);
    }

    /// The latest output of an op before its own in the same order, else in another order; of its
    /// dtype, if one of the last ones is: a cast may change no element.
    void find(const Dataflow& flow, TracedTensor& input) const {
        const Content& content = *input.content;
        if (const auto same =
                latest(flow, sequences_, key_of(content.sequence, content.numel), input)) {
            input.producer = same;
            input.passage = Passage::kAsIs;
            input.ambiguous = !content.tells_order();
        } else if (content.tells_bag()) {
            input.producer = latest(flow, bags_, key_of(content.bag, content.numel), input);
            if (input.producer) input.passage = Passage::kReordered;
        }
    }

  private:
    using Index = std::unordered_map<uint64_t, std::vector<size_t>>;

    static void add(Index& index, uint64_t key, size_t tensor) { index[key].push_back(tensor); }

    static std::optional<size_t> latest(const Dataflow& flow,
                                        const Index& index,
                                        uint64_t key,
                                        const TracedTensor& input) {
        const auto found = index.find(key);
        if (found == index.end()) return std::nullopt;
        std::optional<size_t> latest;
        size_t seen = 0;
        for (auto at = found->second.rbegin(); at != found->second.rend(); ++at) {
            if (flow.tensors[*at].op >= input.op) continue;
            if (flow.tensors[*at].dtype == input.dtype) return *at;
            if (!latest) latest = *at;
            if (++seen == kMostCasts) break;
        }
        return latest;
    }

    Index sequences_;
    Index bags_;
};

bool is_outcome(const TracedTensor& tensor) {
    return tensor.direction == Direction::kOutput && tensor.content && tensor.content->numel > 0;
}

bool is_open_input(const TracedTensor& tensor) {
    return tensor.direction == Direction::kInput && tensor.content && tensor.content->numel > 0 &&
           !tensor.producer;
}

void find_exact(Dataflow& flow) {
    Producers producers;
    for (size_t op = 0; op + 1 < flow.first.size(); ++op) {
        for (size_t i = flow.first[op]; i < flow.first[op + 1]; ++i)
            if (is_open_input(flow.tensors[i])) producers.find(flow, flow.tensors[i]);
        for (size_t i = flow.first[op]; i < flow.first[op + 1]; ++i)
            if (is_outcome(flow.tensors[i])) producers.add(i, *flow.tensors[i].content);
    }
}

bool is_floating(const TracedTensor& tensor) {
    const auto dtype = dtype_from_name(tensor.dtype);
    return dtype && is_float(*dtype);
}

/// The narrowest dtype that the input may have been cast to.
std::optional<DType> narrow_dtype(const TracedTensor& input) {
    if (!is_floating(input) || !input.content->tells_order()) return std::nullopt;
    if (input.content->fits_bfloat) return DType::kBFloat16;
    if (input.content->fits_half) return DType::kFloat16;
    if (input.dtype == name_of(DType::kFloat32)) return DType::kFloat32;
    return std::nullopt;
}

/// Whether rounding to `narrow` changes the tensor.
bool is_wider(const TracedTensor& output, DType narrow) {
    if (narrow == DType::kFloat32) return output.dtype == name_of(DType::kFloat64);
    const Content& content = *output.content;
    return is_floating(output) &&
           !(narrow == DType::kFloat16 ? content.fits_half : content.fits_bfloat);
}

/// Inputs that may be a cast of an earlier output: those outputs are read again, rounded.
void find_casts(const Source& source, Dataflow& flow, int threads) {
    std::map<std::pair<DType, int64_t>, std::vector<size_t>> wanted;
    for (size_t i = 0; i < flow.tensors.size(); ++i) {
        const TracedTensor& input = flow.tensors[i];
        if (!is_open_input(input)) continue;
        if (const auto narrow = narrow_dtype(input))
            wanted[{*narrow, input.content->numel}].push_back(i);
    }
    for (const auto& [kind, inputs] : wanted) {
        const auto [narrow, numel] = kind;
        std::vector<size_t> candidates;
        for (size_t i = 0; i < flow.tensors.size(); ++i) {
            const TracedTensor& output = flow.tensors[i];
            if (is_outcome(output) && output.content->numel == numel && is_wider(output, narrow) &&
                output.op < flow.tensors[inputs.back()].op)
                candidates.push_back(i);
        }
        std::vector<std::optional<Content>> rounded(candidates.size());
        for_each_traced(source,
                        flow,
                        candidates,
                        threads,
                        [&, narrow = narrow](size_t at, const ElementSource& elements) {
                            rounded[at] = content_of(elements, narrow);
                        });
        Producers producers;
        for (size_t at = 0; at < candidates.size(); ++at)
            if (rounded[at]) producers.add(candidates[at], *rounded[at]);
        for (const size_t i : inputs) {
            TracedTensor& input = flow.tensors[i];
            producers.find(flow, input);
            if (input.producer) input.passage = Passage::kRounded;
        }
    }
}

/// Inputs and earlier outputs that have the same statistics.
void find_by_statistics(Dataflow& flow) {
    std::unordered_map<uint64_t, size_t> latest;
    for (size_t op = 0; op + 1 < flow.first.size(); ++op) {
        for (size_t i = flow.first[op]; i < flow.first[op + 1]; ++i) {
            TracedTensor& tensor = flow.tensors[i];
            if (!tensor.print || tensor.direction != Direction::kInput) continue;
            const auto found = latest.find(*tensor.print);
            if (found == latest.end()) continue;
            tensor.producer = found->second;
            tensor.passage = Passage::kReordered;
        }
        for (size_t i = flow.first[op]; i < flow.first[op + 1]; ++i)
            if (const TracedTensor& tensor = flow.tensors[i];
                tensor.print && tensor.direction == Direction::kOutput)
                latest[*tensor.print] = i;
    }
}

}  // namespace

Dataflow trace(const Source& source, int threads) {
    std::vector<std::vector<TracedTensor>> ops(source.ops.size());
    for_each_op(source, threads, [&](size_t op) {
        std::vector<SourceTensor> tensors;
        try {
            tensors = source.ops[op].load();
        } catch (const Error&) {
            return;
        }
        for (const SourceTensor& tensor : tensors)
            ops[op].push_back(traced(op, tensor, is_written_since(source.ops[op], tensor)));
    });
    Dataflow flow;
    for (std::vector<TracedTensor>& tensors : ops) {
        flow.first.push_back(flow.tensors.size());
        std::ranges::move(tensors, std::back_inserter(flow.tensors));
    }
    flow.first.push_back(flow.tensors.size());
    find_exact(flow);
    find_casts(source, flow, threads);
    find_by_statistics(flow);
    number_givens(flow);
    return flow;
}

void number_givens(Dataflow& flow) {
    std::unordered_map<uint64_t, size_t> sequences;
    std::unordered_map<uint64_t, size_t> bags;
    for (size_t i = 0; i < flow.tensors.size(); ++i) {
        TracedTensor& input = flow.tensors[i];
        input.given.reset();
        if (!is_open_input(input)) continue;
        const Content& content = *input.content;
        const uint64_t sequence = key_of(content.sequence, content.numel);
        const uint64_t bag = key_of(content.bag, content.numel);
        size_t root = i;
        if (const auto known = bags.find(bag); known != bags.end()) root = known->second;
        if (const auto known = sequences.find(sequence); known != sequences.end())
            root = known->second;
        input.given = root;
        if (content.tells_order()) sequences.try_emplace(sequence, root);
        if (content.tells_bag()) bags.try_emplace(bag, root);
    }
}

}  // namespace npuscope::compare
