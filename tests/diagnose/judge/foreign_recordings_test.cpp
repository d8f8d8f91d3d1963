// What recordings of GPUs hold that no definition of an op tells, and how such chips compute.
#include <algorithm>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "diagnose/judge/composed_op.h"
#include "diagnose/judge/number_format.h"
#include "npu_backend/chips/device.h"
#include "tests/compare/dataflow/hand_made.h"
#include "tests/diagnose/judge/judged_dumps.h"
#include "tests/support/values.h"

namespace npuscope::diagnose {
namespace {

using compare::DumpedOp;
using compare::random_tensor;
using compare::Verdict;
using test::held_against;

Tensor made_by(const std::string& op, NamedValues arguments) {
    return Executor(Device::reference32()).call_named(op, std::move(arguments)).tensor(0);
}

/// The op behind a dozen that show that the chip computes in float32.
std::vector<DumpedOp> among_others(DumpedOp op) {
    std::vector<DumpedOp> ops;
    for (int64_t seqid = 1; seqid <= 12; ++seqid) {
        const NamedValues inputs = {{"self", random_tensor({6, 9}, static_cast<unsigned>(seqid))},
                                    {"dim", int64_t{1}},
                                    {"half_to_float", false}};
        ops.push_back({.name = "_softmax",
                       .seqid = seqid,
                       .inputs = inputs,
                       .outputs = {{"result", made_by("_softmax", inputs)}},
                       .node = {}});
    }
    op.seqid = 13;
    ops.push_back(std::move(op));
    return ops;
}

DumpedOp in_place(const std::string& result, float off) {
    const Tensor self = random_tensor({4, 8}, 1);
    const Tensor other = random_tensor({4, 8}, 2);
    Tensor sum =
        made_by("add__Tensor", {{"self", self}, {"other", other}, {"alpha", Scalar{-0.1}}});
    sum.mutable_as<float>()[5] += off;
    return {.name = "add__Tensor",
            .seqid = 1,
            .inputs = {{"self", self}, {"other", other}, {"alpha", Scalar{-0.1}}},
            .outputs = {{result, sum}},
            .node = {}};
}

TEST(ForeignRecordings, name_the_result_of_an_op_in_place_as_they_like) {
    const compare::Result equal = held_against({in_place("result", 0)}, {in_place("self", 0)});
    ASSERT_EQ(equal.ops[0].tensors.back().direction, dumpfile::Direction::kOutput);
    EXPECT_EQ(equal.ops[0].judgement.verdict, Verdict::kPass);
    EXPECT_TRUE(equal.ops[0].tensors.back().split->target);
    const compare::Result faulty =
        held_against(among_others(in_place("result", 1e-3F)), among_others(in_place("self", 0)));
    EXPECT_EQ(faulty.ops.back().judgement.verdict, Verdict::kFail);
    EXPECT_GT(faulty.ops.back().tensors.back().split->target->ratio, 1);
}

TEST(ForeignRecordings, hold_memory_that_nothing_was_written_into) {
    const auto room = [](unsigned seed) {
        return DumpedOp{.name = "empty_like",
                        .seqid = 1,
                        .inputs = {{"self", random_tensor({3, 4}, 1)}},
                        .outputs = {{"result", random_tensor({3, 4}, seed)}},
                        .node = {}};
    };
    const compare::Result result =
        held_against({room(2), in_place("self", 0)}, {room(3), in_place("self", 0)});
    EXPECT_TRUE(result.culprits.empty());
}

DumpedOp sorted(const std::vector<int64_t>& places) {
    const Tensor values = Tensor::from<int64_t>({6}, {1, 1, 2, 2, 2, 3});
    return {.name = "sort",
            .seqid = 1,
            .inputs = {{"self", Tensor::from<int64_t>({6}, {2, 1, 2, 3, 1, 2})},
                       {"dim", int64_t{0}},
                       {"descending", false}},
            .outputs = {{"values", values}, {"indices", Tensor::from<int64_t>({6}, places)}},
            .node = {}};
}

TEST(ForeignRecordings, sort_equal_whole_numbers_in_any_order) {
    const DumpedOp golden = sorted({1, 4, 0, 2, 5, 3});
    EXPECT_TRUE(held_against({sorted({4, 1, 5, 0, 2, 3})}, {golden}).culprits.empty());
    EXPECT_FALSE(
        held_against({sorted({1, 4, 0, 0, 5, 3})}, {golden}).culprits.empty());  // one twice
    EXPECT_FALSE(
        held_against({sorted({1, 4, 0, 3, 5, 2})}, {golden}).culprits.empty());  // not equal
}

/// Four heads of queries that share two of keys and values.
NamedValues heads() {
    return {{"query", random_tensor({2, 4, 5, 8}, 1)},
            {"key", random_tensor({2, 2, 5, 8}, 2)},
            {"value", random_tensor({2, 2, 5, 8}, 3)},
            {"is_causal", true}};
}

DumpedOp attention(const std::string& op, NamedValues own, float off) {
    Tensor y = made_by("scaled_dot_product_attention", heads());
    y.mutable_as<float>()[7] += off;
    own.insert(own.begin(), {"output", y});
    return {.name = op, .seqid = 1, .inputs = heads(), .outputs = std::move(own), .node = {}};
}

TEST(ForeignRecordings, call_attention_by_the_kernel_that_computed_it) {
    const DumpedOp cpu = attention("_scaled_dot_product_flash_attention_for_cpu",
                                   {{"logsumexp", random_tensor({2, 4, 5}, 7)}},
                                   0);
    const NamedValues own = {{"log_sumexp", random_tensor({2, 4, 32}, 8)},
                             {"philox_seed", random_tensor({1}, 9)}};
    const auto gpu = [&](float off) {
        return attention("_scaled_dot_product_efficient_attention", own, off);
    };
    const compare::Result clean = held_against({gpu(0)}, {cpu});
    ASSERT_EQ(clean.ops.size(), 1u);
    EXPECT_EQ(clean.ops[0].judgement.verdict, Verdict::kPass);
    EXPECT_EQ(
        held_against(among_others(gpu(1e-3F)), among_others(cpu)).ops.back().judgement.verdict,
        Verdict::kFail);
}

Tensor twice_each(const Tensor& heads) {
    return made_by("repeat_interleave_self_int",
                   {{"self", heads}, {"repeats", int64_t{2}}, {"dim", int64_t{1}}});
}

TEST(ForeignRecordings, give_gradients_of_shared_heads_as_of_repeated_ones) {
    NamedValues shared = heads();
    shared.insert(shared.begin(), {"grad", random_tensor({2, 4, 5, 8}, 4)});
    NamedValues repeated = shared;
    for (NamedValue& each : repeated)
        if (each.name == "key" || each.name == "value")
            each.value = twice_each(std::get<Tensor>(each.value));
    repeated.push_back({"shared", int64_t{2}});
    Executor executor(Device::reference64());
    const backend::Op& op = *find_composed_op("gradient_of_attention");
    const Results one = executor.call_named(op, shared);
    const Results other = executor.call_named(op, repeated);
    for (size_t i = 0; i < 3; ++i) {
        const Tensor mine = one.tensor(i);
        const Tensor theirs = other.tensor(i);
        ASSERT_EQ(mine.numel(), theirs.numel()) << i;
        EXPECT_TRUE(std::ranges::equal(mine.as<float>(), theirs.as<float>())) << i;
    }
}

/// The elements in the operands' format of tensor cores.
Tensor in_tf32(const Tensor& tensor) {
    Tensor narrow = tensor;
    for (float& value : narrow.mutable_as<float>())
        value = static_cast<float>(kTensorFloat32.rounded(value));
    return narrow;
}

/// Twelve products, the last `narrow` of them of operands in TF32.
std::vector<DumpedOp> products(int64_t narrow) {
    std::vector<DumpedOp> ops;
    for (int64_t seqid = 1; seqid <= 12; ++seqid) {
        const Tensor a = random_tensor({5, 9}, static_cast<unsigned>(2 * seqid));
        const Tensor b = random_tensor({9, 4}, static_cast<unsigned>(2 * seqid + 1));
        const bool is_narrow = seqid > 12 - narrow;
        const Tensor y = made_by(
            "mm", {{"self", is_narrow ? in_tf32(a) : a}, {"mat2", is_narrow ? in_tf32(b) : b}});
        ops.push_back({.name = "mm",
                       .seqid = seqid,
                       .inputs = {{"self", a}, {"mat2", b}},
                       .outputs = {{"result", y}},
                       .node = {}});
    }
    return ops;
}

TEST(ForeignRecordings, multiply_in_tf32_here_and_in_fp32_there) {
    const compare::Result several = held_against(products(3), products(0));
    EXPECT_TRUE(several.culprits.empty());
    EXPECT_EQ(
        several.arithmetic.front(),
        "target, matrix products (float32): fp32, or TF32 inputs, fp32 sums (12 of 12 sampled)");
    const compare::Result one = held_against(products(1), products(0));
    ASSERT_EQ(one.culprits.size(), 1u);
    EXPECT_EQ(one.ops[one.culprits[0].op].target, "/mm/12");
}

Tensor in_bf16(const Tensor& tensor) {
    return tensor.cast(DType::kBFloat16);
}

/// 512 products an element, added up in two parts; off by so many units of sqrt(512) of them.
DumpedOp long_sum(int parts, float off, int64_t seqid = 1) {
    const Tensor a = in_bf16(random_tensor({3, 512}, static_cast<unsigned>(2 * seqid)));
    const Tensor b = in_bf16(random_tensor({512, 4}, static_cast<unsigned>(2 * seqid + 1)));
    const auto wide_a = a.cast(DType::kFloat64);
    const auto wide_b = b.cast(DType::kFloat64);
    std::vector<float> y(12);
    for (size_t i = 0; i < y.size(); ++i) {
        double sum = 0;
        for (int part = 0; part < parts; ++part) {
            double own = 0;
            for (size_t k = 0; k < 512; ++k)
                if (static_cast<int>(k) * parts / 512 == part)
                    own +=
                        wide_a.as<double>()[i / 4 * 512 + k] * wide_b.as<double>()[k * 4 + i % 4];
            sum += parts > 1 ? kBFloat16.rounded(own) : own;
        }
        y[i] = static_cast<float>(sum) + (i == 3 ? off : 0);
    }
    return {.name = "mm",
            .seqid = seqid,
            .inputs = {{"self", a}, {"mat2", b}},
            .outputs = {{"result", in_bf16(Tensor::from<float>({3, 4}, y))}},
            .node = {}};
}

TEST(ForeignRecordings, add_up_long_sums_of_16_bits_in_rounded_parts) {
    const auto sums = [](int parts, float off) {
        std::vector<DumpedOp> ops;
        for (int64_t seqid = 1; seqid <= 12; ++seqid)
            ops.push_back(long_sum(seqid == 5 ? parts : 1, seqid == 5 ? off : 0, seqid));
        return ops;
    };
    EXPECT_TRUE(held_against(sums(4, 0), sums(1, 0)).culprits.empty());
    EXPECT_FALSE(held_against(sums(4, 8), sums(1, 0)).culprits.empty());
}

/// Zeros but for what the slice from 4 on of the last of two axes was given.
DumpedOp gradient_of_slice(float off) {
    const Tensor dy = random_tensor({3, 4}, 1);
    Tensor dx = Tensor::zeros(DType::kFloat32, {3, 8});
    for (size_t i = 0; i < 12; ++i)
        dx.mutable_as<float>()[i / 4 * 8 + 4 + i % 4] = dy.as<float>()[i];
    dx.mutable_as<float>()[6] += off;
    return {.name = "slice_backward",
            .seqid = 1,
            .inputs = {{"grad_output", dy},
                       {"input_sizes", IntList{3, 8}},
                       {"dim", int64_t{1}},
                       {"start", int64_t{4}},
                       {"end", std::numeric_limits<int64_t>::max()},
                       {"step", int64_t{1}}},
            .outputs = {{"result", dx}},
            .node = {}};
}

TEST(ForeignRecordings, slice_up_to_the_largest_integer) {
    const DumpedOp golden = gradient_of_slice(0);
    const compare::Result same = held_against({golden}, {golden});
    EXPECT_TRUE(same.ops[0].tensors.back().split->target);
    EXPECT_EQ(held_against({gradient_of_slice(0.01F)}, {golden}).ops[0].judgement.verdict,
              Verdict::kFail);
}

TEST(ForeignRecordings, write_nothing_for_an_empty_list) {
    const Tensor x = Tensor::from<float>({1, 1, 2, 4}, {1, 5, 2, 3, 4, 0, 8, 7});
    const auto gradient = [&](float first) {
        return DumpedOp{
            .name = "max_pool2d_with_indices_backward",
            .seqid = 1,
            .inputs = {{"grad_output", Tensor::from<float>({1, 1, 1, 2}, {0.5, 2})},
                       {"self", x},
                       {"kernel_size", IntList{2, 2}},
                       {"padding", IntList{0, 0}},
                       {"dilation", IntList{1, 1}},
                       {"ceil_mode", false},
                       {"indices", Tensor::from<int64_t>({1, 1, 1, 2}, {1, 6})}},
            .outputs = {{"result",
                         Tensor::from<float>({1, 1, 2, 4}, {0, first, 0, 0, 0, 0, 2, 0})}},
            .node = {}};
    };
    EXPECT_TRUE(held_against({gradient(0.5)}, {gradient(0.5)}).ops[0].tensors.back().split->target);
    EXPECT_EQ(held_against({gradient(0.6F)}, {gradient(0.5)}).ops[0].judgement.verdict,
              Verdict::kFail);
}

TEST(ForeignRecordings, leave_out_the_factors_of_a_resized_image) {
    const auto resized = [](const std::string& op, NamedValues inputs, Tensor result) {
        const DumpedOp run{.name = op,
                           .seqid = 1,
                           .inputs = std::move(inputs),
                           .outputs = {{"result", std::move(result)}},
                           .node = {}};
        return held_against({run}, {run}).ops[0].tensors.back().split->target.has_value();
    };
    const Tensor small = Tensor::from<float>({1, 1, 1, 2}, {1, 2});
    const Tensor large = Tensor::from<float>({1, 1, 2, 4}, {1, 1, 2, 2, 1, 1, 2, 2});
    EXPECT_TRUE(resized("upsample_nearest2d_vec", {{"input", small}}, large));
    EXPECT_TRUE(resized("upsample_nearest2d_backward_vec",
                        {{"grad_output", large}, {"input_size", IntList{1, 1, 1, 2}}},
                        Tensor::from<float>({1, 1, 1, 2}, {4, 8})));
}

}  // namespace
}  // namespace npuscope::diagnose
