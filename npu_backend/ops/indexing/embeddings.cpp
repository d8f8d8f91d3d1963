// Rows of a table by their numbers: embeddings and bags of them.
#include <array>

#include "npu_backend/memory/strided.h"
#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

namespace {

struct Bag {
    int64_t begin, end;
};

std::vector<Bag> bags_of(const Lowering& op, int64_t count) {
    const Tensor wide = op.raw("offsets").cast(DType::kInt64);
    const auto offsets = wide.as<int64_t>();
    std::vector<Bag> bags;
    for (size_t i = 0; i < offsets.size(); ++i) {
        const int64_t end = i + 1 < offsets.size() ? offsets[i + 1] : count;
        if (offsets[i] < 0 || offsets[i] > end || end > count)
            op.reject("offsets must rise from 0 to at most " + std::to_string(count));
        bags.push_back({offsets[i], end});
    }
    if (op.flag("include_last_offset") && !bags.empty()) bags.pop_back();
    return bags;
}

Tensor whole(const std::vector<int64_t>& values) {
    return Tensor::from<int64_t>({static_cast<int64_t>(values.size())},
                                 std::span<const int64_t>(values));
}

/// The rows of one bag, without those of padding_idx.
std::vector<int64_t> kept(const Lowering& op, std::span<const int64_t> words, Bag bag) {
    std::vector<int64_t> places;
    for (int64_t i = bag.begin; i < bag.end; ++i)
        if (words[static_cast<size_t>(i)] != op.integer("padding_idx")) places.push_back(i);
    return places;
}

/// Sums (mode 0), means (1) or maxima (2) of rows; the bag of each index, how many rows each bag
/// has and which were the largest. Sums of sizes are 0 for mode 0, as on PyTorch's CPU.
void lower_embedding_bag(Lowering& op) {
    const int64_t mode = op.integer("mode");
    if (mode < 0 || mode > 2) op.reject("mode must be 0 (sum), 1 (mean) or 2 (max)");
    const Tensor weight = op.tensor("weight");
    const Tensor indices = op.raw("indices").cast(DType::kInt64);
    if (weight.ndim() != 2 || indices.ndim() != 1)
        op.reject("weight needs 2 dimensions, indices 1");
    const std::vector<Bag> bags = bags_of(op, indices.numel());
    Tensor rows = op.launch("GatherV2", {weight, indices}, {{"axis", int64_t{0}}});
    if (op.has("per_sample_weights")) {
        if (mode != 0) op.reject("per_sample_weights are for mode 0");
        rows = op.launch("Mul", {rows, op.tensor("per_sample_weights").reshaped({-1, 1})});
    }
    std::vector<int64_t> owner(static_cast<size_t>(indices.numel()), 0);
    std::vector<int64_t> sizes;
    std::vector<Tensor> results;
    std::vector<Tensor> places;
    for (size_t b = 0; b < bags.size(); ++b) {
        for (int64_t i = bags[b].begin; i < bags[b].end; ++i)
            owner[static_cast<size_t>(i)] = static_cast<int64_t>(b);
        const std::vector<int64_t> own = kept(op, indices.as<int64_t>(), bags[b]);
        sizes.push_back(mode == 0 ? 0 : static_cast<int64_t>(own.size()));
        const NamedValues axes = {{"axes", IntList{0}}, {"keep_dims", true}};
        if (own.empty()) {
            results.push_back(op.launch("ZerosLike", {Tensor(weight.dtype(), {1, weight.dim(1)})}));
            places.push_back(Tensor::zeros(DType::kInt64, {1, weight.dim(1)}));
            continue;
        }
        const Tensor bag = op.launch("GatherV2", {rows, whole(own)}, {{"axis", int64_t{0}}});
        results.push_back(op.launch(mode == 0   ? "ReduceSum"
                                    : mode == 1 ? "ReduceMean"
                                                : "ReduceMax",
                                    {bag},
                                    axes));
        if (mode != 2) continue;
        Tensor largest = op.launch("ArgMaxV2", {bag}, axes);
        for (int64_t& place : largest.mutable_as<int64_t>())
            place = indices.as<int64_t>()[static_cast<size_t>(own[static_cast<size_t>(place)])];
        places.push_back(std::move(largest));
    }
    const auto joined = [&](std::vector<Tensor> parts, DType dtype) {
        if (parts.empty()) return Tensor(dtype, {0, weight.dim(1)});
        const auto count = static_cast<int64_t>(parts.size());
        return op.launch("ConcatD", std::move(parts), {{"concat_dim", int64_t{0}}, {"N", count}});
    };
    op.result(joined(std::move(results), weight.dtype()), op.declared("weight"));
    op.result(whole(owner), DType::kInt64);
    op.result(whole(sizes), DType::kInt64);
    op.result(mode == 2 ? joined(std::move(places), DType::kInt64) : whole(sizes), DType::kInt64);
}

void lower_embedding(Lowering& op) {
    if (op.raw("weight").ndim() != 2) op.reject("weight must have 2 dimensions");
    op.result(op.launch("GatherV2", {op.raw("weight"), op.raw("indices")}, {{"axis", int64_t{0}}}),
              op.declared("weight"));
}

void lower_embedding_gradient(Lowering& op) {
    const Tensor gradient = op.tensor("grad_output");
    if (gradient.ndim() < 1) op.reject("grad_output has no dimensions");
    op.result(
        op.launch("EmbeddingDenseGrad",
                  {gradient.reshaped({-1, gradient.dim(-1)}), op.raw("indices").reshaped({-1})},
                  {{"num_weights", op.integer("num_weights")},
                   {"padding_idx", op.integer("padding_idx")},
                   {"scale_grad_by_freq", op.flag("scale_grad_by_freq")}}),
        op.declared("grad_output"));
}

}  // namespace

std::span<const OpRow> embeddings_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "embedding(Tensor weight, Tensor indices, int padding_idx=-1, bool "
                   "scale_grad_by_freq=False, bool sparse=False) -> Tensor",
         .launches = {"GatherV2"},
         .source = "spec",
         .lower = lower_embedding},
        {.schema = "embedding_dense_backward(Tensor grad_output, Tensor indices, int num_weights, "
                   "int padding_idx, bool scale_grad_by_freq) -> Tensor",
         .launches = {"EmbeddingDenseGrad"},
         .source = "table",
         .lower = lower_embedding_gradient,
         .sum = "result"},
        {.schema = "_embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool "
                   "scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? "
                   "per_sample_weights=None, bool include_last_offset=False, int padding_idx=-1) "
                   "-> (Tensor, Tensor, Tensor, Tensor)",
         .launches = {"GatherV2",
                      "Mul",
                      "ReduceSum",
                      "ReduceMean",
                      "ReduceMax",
                      "ArgMaxV2",
                      "ZerosLike",
                      "ConcatD"},
         .note = "GatherV2, Mul with weights; for each bag GatherV2, ReduceSum, ReduceMean or "
                 "ReduceMax; ConcatD",
         .lower = lower_embedding_bag},
    });
    return kRows;
}

}  // namespace npuscope::backend
