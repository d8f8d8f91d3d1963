#include "compare/relate/relate.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "compare/relate/ties.h"
#include "tests/compare/relate/made_side.h"
#include "tests/compare/relate/tied.h"

namespace npuscope::compare {

namespace {

using test::add_op;
using test::changed;
using test::columns;
using test::largest_difference;
using test::random_tensor;
using test::transposed;

/// What was found of each target tensor, by its path.
std::map<std::string, TensorTie> found(const Source& target, const Source& golden) {
    const Relations relations = relate(target, golden, 1);
    std::map<std::string, TensorTie> ties;
    for (TensorTie& tie : ties_of(relations, target, golden))
        ties.emplace(tie.target.path, std::move(tie));
    return ties;
}

Tensor sum_of(const Tensor& one, const Tensor& other) {
    Tensor sum = Tensor::copy_of(one.view());
    for (size_t i = 0; i < sum.as<float>().size(); ++i)
        sum.mutable_as<float>()[i] += other.as<float>()[i];
    return sum;
}

}  // namespace

TEST(Relate, looks_past_padding_at_what_is_fused_and_permuted) {
    // [B,S,H] of 11 tokens, one of them; three of them stand beside each other in the other side's
    // [S,B,H] of 13.
    constexpr int64_t kTokens = 11;
    constexpr int64_t kPadded = 13;
    constexpr int64_t kBatch = 2;
    constexpr int64_t kHidden = 16;
    const auto padded = [&](const std::vector<Tensor>& parts, uint32_t seed) {
        const auto count = static_cast<int64_t>(parts.size());
        Tensor whole = random_tensor({kPadded, kBatch, count * kHidden}, seed);
        for (int64_t part = 0; part < count; ++part)
            for (int64_t b = 0; b < kBatch; ++b)
                for (int64_t s = 0; s < kTokens; ++s)
                    for (int64_t h = 0; h < kHidden; ++h)
                        whole.mutable_as<float>()[static_cast<size_t>(
                            (s * kBatch + b) * count * kHidden + part * kHidden + h)] =
                            parts[static_cast<size_t>(part)]
                                .as<float>()[static_cast<size_t>((b * kTokens + s) * kHidden + h)];
        return whole;
    };
    std::vector<Tensor> plain;
    for (uint32_t i = 0; i < 5; ++i)
        plain.push_back(random_tensor({kBatch, kTokens, kHidden}, 100 + i));
    Source golden;
    for (const Tensor& each : plain)
        add_op(golden, "g", {}, each);
    Source target;
    add_op(target, "t", {}, padded({plain[0]}, 1));
    add_op(target, "t", {}, padded({plain[1]}, 2));
    add_op(target, "t", {}, padded({plain[2], plain[3], plain[4]}, 3));
    const Relations relations = relate(target, golden, 1);
    ASSERT_EQ(relations.found.size(), 5U);
    for (const TensorTie& tie : ties_of(relations, target, golden)) {
        EXPECT_EQ(tie.kind, RelationKind::kPart);
        EXPECT_NE(tie.text.find("0:11 along axis 0 of [13,2,"), std::string::npos) << tie.text;
        EXPECT_EQ(largest_difference(tie), 0);
    }
    EXPECT_EQ(relations.target.tensors[2].shape, (Shape{kPadded, kBatch, 3 * kHidden}));
}

TEST(Relate, pairs_what_is_renamed_rounded_and_in_another_order) {
    Source golden;
    Source target;
    const int order[] = {2, 0, 3, 1};
    for (uint32_t i = 0; i < 4; ++i)
        add_op(golden, "a", {}, random_tensor({8, 16}, i));
    for (const int i : order)
        add_op(target, "b", {}, changed(random_tensor({8, 16}, static_cast<uint32_t>(i)), 1, true));
    const auto ties = found(target, golden);
    ASSERT_EQ(ties.size(), 4U);
    for (size_t i = 0; i < 4; ++i) {
        const TensorTie& tie = ties.at("/b/" + std::to_string(i + 1) + "/output/result");
        EXPECT_EQ(tie.golden.path, "/a/" + std::to_string(order[i] + 1) + "/output/result");
        EXPECT_EQ(tie.kind, RelationKind::kEqual);
        EXPECT_FALSE(tie.by_place);
    }
}

TEST(Relate, tells_a_transpose_and_compares_through_it) {
    Source golden;
    Source target;
    const Tensor weight = random_tensor({12, 12}, 1);
    add_op(golden, "linear", {}, weight);
    add_op(target, "matmul", {}, transposed(weight));
    const TensorTie tie = found(target, golden).at("/matmul/1/output/result");
    EXPECT_EQ(tie.kind, RelationKind::kPermuted);
    EXPECT_EQ(tie.text, "its transpose");
    EXPECT_EQ(largest_difference(tie), 0);
}

TEST(Relate, tells_the_parts_of_what_is_fused) {
    Source golden;
    Source target;
    const Tensor fused = random_tensor({10, 24}, 1);
    add_op(target, "addmm", {}, fused);
    for (int part = 0; part < 3; ++part)
        add_op(golden, "addmm", {}, columns(fused, 8 * part, 8 * part + 8));
    const Relations relations = relate(target, golden, 1);
    const auto ties = ties_of(relations, target, golden);
    ASSERT_EQ(ties.size(), 3U);
    for (size_t part = 0; part < 3; ++part) {
        const auto tie = std::ranges::find_if(
            ties, [&](const TensorTie& each) { return each.golden.op == &golden.ops[part]; });
        ASSERT_NE(tie, ties.end());
        EXPECT_EQ(tie->kind, RelationKind::kPart);
        EXPECT_EQ(tie->text,
                  std::to_string(8 * part) + ":" + std::to_string(8 * part + 8) +
                      " along axis 1 of [10,24]");
        EXPECT_EQ(largest_difference(*tie), 0);
    }
}

TEST(Relate, pairs_by_its_place_what_the_elements_do_not_tell) {
    Source golden;
    Source target;
    const Tensor x = random_tensor({4, 16}, 1);
    const Tensor weight = random_tensor({16, 16}, 2);
    const Tensor last = random_tensor({4, 16}, 5);
    add_op(golden, "mm", {x, weight}, random_tensor({4, 16}, 3));
    add_op(golden, "relu", {random_tensor({4, 16}, 3)}, last);
    add_op(target, "matmul", {x, weight}, random_tensor({4, 16}, 4));
    add_op(target, "relu", {random_tensor({4, 16}, 4)}, last);
    const auto ties = found(target, golden);
    const TensorTie& tie = ties.at("/matmul/1/output/result");
    EXPECT_EQ(tie.golden.path, "/mm/1/output/result");
    EXPECT_TRUE(tie.by_place);
    EXPECT_EQ(tie.words(), "by place");
}

TEST(Relate, takes_no_zeros_made_of_nothing_for_what_an_op_computed) {
    Source golden;
    Source target;
    const Tensor x = random_tensor({4, 16}, 1);
    const Tensor weight = random_tensor({16, 16}, 2);
    const Tensor last = random_tensor({4, 16}, 5);
    const Tensor state = changed(last, 0);
    add_op(golden, "zeros", {}, state);
    add_op(golden, "rnn_layer", {x, weight, state}, last);
    add_op(target, "mul", {random_tensor({4, 16}, 6), x}, random_tensor({4, 16}, 4));
    add_op(target, "cell", {x, weight, random_tensor({4, 16}, 4)}, last);
    const auto ties = found(target, golden);
    EXPECT_TRUE(ties.contains("/cell/2/output/result"));
    EXPECT_FALSE(ties.contains("/mul/1/output/result"));
}

// The gradient of x^2 computes x^1: what an op made stands there once more.
TEST(Relate, pairs_what_ops_of_one_kind_made_rather_than_a_later_copy) {
    const Tensor x = random_tensor({8, 16}, 1);
    const Tensor y = random_tensor({8, 16}, 2);
    Source golden;
    add_op(golden, "addmm", {x}, y);
    add_op(golden, "gelu", {y}, random_tensor({8, 16}, 3));
    add_op(golden, "pow_Tensor_Scalar", {y}, y);
    Source target;
    const Tensor own = changed(y, 1.0001F);
    add_op(target, "addmm", {x}, own);
    add_op(target, "gelu", {own}, random_tensor({8, 16}, 4));
    const auto ties = found(target, golden);
    EXPECT_EQ(ties.at(target.ops[0].path + "/output/result").golden.op, golden.ops.data());
}

TEST(Relate, takes_a_transposed_weight_before_what_a_step_makes_of_it) {
    const Tensor weight = random_tensor({12, 20}, 1);
    Source target;
    Source golden;
    add_op(target, "linear", {weight}, random_tensor({4, 5}, 2));
    add_op(golden, "mm", {transposed(weight)}, random_tensor({4, 5}, 2));
    add_op(golden, "decay", {}, changed(weight, 0.999F));
    const auto ties = found(target, golden);
    ASSERT_EQ(ties.count("/linear/1/input/arg0"), 1U);
    EXPECT_EQ(ties.at("/linear/1/input/arg0").golden.path, "/mm/1/input/arg0");
}

TEST(Relate, tells_what_a_view_shows_of_what_no_op_made) {
    const Tensor weight = random_tensor({12, 20}, 1);
    Tensor stale = Tensor::copy_of(transposed(weight).view());
    for (size_t i = 0; i < stale.as<float>().size(); i += 2)
        stale.mutable_as<float>()[i] *= 1.05F;
    Source target;
    Source golden;
    add_op(target, "t", {weight}, transposed(weight));
    add_op(target, "mm", {transposed(weight)}, random_tensor({4, 5}, 2));
    add_op(golden, "mm", {stale}, random_tensor({4, 5}, 2));
    const Relations relations = relate(target, golden, 1);
    const auto ties = ties_behind_views(relations, target, golden);
    ASSERT_EQ(ties.size(), 1U);
    EXPECT_EQ(ties[0].target.path, "/mm/2/input/arg0");
    EXPECT_EQ(ties[0].golden.path, "/mm/1/input/arg0");
    // Of what another op computes nothing is told.
    target.ops.front().id.op = "tanh";
    EXPECT_TRUE(ties_behind_views(relate(target, golden, 1), target, golden).empty());
}

TEST(Relate, leaves_a_mask_apart_from_masked_scores) {
    const auto masked = [](Tensor scores) {
        for (size_t i = 0; i < scores.as<float>().size(); i += 3)
            scores.mutable_as<float>()[i] = -std::numeric_limits<float>::infinity();
        return scores;
    };
    const Tensor scores = random_tensor({8, 16}, 1);
    const Tensor shares = random_tensor({8, 16}, 2);
    const Tensor keys = random_tensor({8, 16}, 3);
    Source target;
    Source golden;
    for (Source* side : {&target, &golden})
        add_op(*side, "keys", {}, keys);
    add_op(golden, "masked_fill", {keys}, masked(changed(scores, 0)));
    add_op(target, "add", {keys}, masked(scores));
    add_op(target, "softmax", {keys}, shares);
    const auto ties = found(target, golden);
    EXPECT_EQ(ties.count("/add/2/output/result"), 0U);
    EXPECT_EQ(ties.count("/softmax/3/output/result"), 0U);
}

TEST(Relate, leaves_tensors_of_two_models_alone) {
    Source golden;
    Source target;
    for (uint32_t i = 0; i < 6; ++i) {
        add_op(golden, "a", {}, random_tensor({8, 16}, i));
        add_op(target, "b", {}, random_tensor({8, 16}, 100 + i));
    }
    EXPECT_TRUE(found(target, golden).empty());
}

TEST(Relate, tells_a_sum_and_what_is_scaled) {
    Source golden;
    Source target;
    const Tensor hidden = random_tensor({8, 16}, 1);
    const Tensor residual = random_tensor({8, 16}, 2);
    const Tensor sum = sum_of(hidden, residual);
    add_op(golden, "a", {}, hidden);
    add_op(golden, "b", {}, residual);
    add_op(golden, "c", {}, random_tensor({8, 32}, 3));
    add_op(target, "a", {}, hidden);
    add_op(target, "b", {}, residual);
    add_op(target, "fused", {}, sum);
    add_op(target, "scaled", {}, changed(random_tensor({8, 32}, 3), 0.25F));
    const auto ties = found(target, golden);
    const TensorTie& fused = ties.at("/fused/3/output/result");
    EXPECT_EQ(fused.kind, RelationKind::kSum);
    EXPECT_LT(largest_difference(fused), 1e-6);
    const TensorTie& scaled = ties.at("/scaled/4/output/result");
    EXPECT_EQ(scaled.kind, RelationKind::kScaled);
    EXPECT_NEAR(scaled.scale, 0.25, 1e-6);
}

TEST(Relate, takes_no_cast_for_a_sum) {
    Source golden;
    Source target;
    const Tensor hidden = random_tensor({8, 16}, 1);
    const Tensor residual = random_tensor({8, 16}, 2);
    const Tensor sum = sum_of(hidden, residual);
    for (Source* side : {&golden, &target}) {
        add_op(*side, "a", {}, hidden);
        add_op(*side, "b", {}, residual);
        add_op(*side, "add", {}, sum);
    }
    add_op(target, "_to_copy", {}, changed(sum, 1, true));
    const auto ties = found(target, golden);
    EXPECT_FALSE(ties.contains("/_to_copy/4/output/result"));
    EXPECT_EQ(ties.at("/add/3/output/result").kind, RelationKind::kEqual);
}

TEST(Relate, takes_the_scale_of_a_loss_before_another_factor) {
    Source golden;
    Source target;
    // A gradient, and its product with a number, which the target rounds.
    const Tensor gradient = random_tensor({8, 32}, 3);
    add_op(golden, "a", {}, changed(gradient, 3));
    add_op(golden, "b", {}, gradient);
    add_op(target, "scaled", {}, changed(gradient, 4096, true));
    const auto ties = found(target, golden);
    const TensorTie& tie = ties.at("/scaled/1/output/result");
    EXPECT_EQ(tie.golden.path, "/b/2/output/result");
    EXPECT_NEAR(tie.scale, 4096, 4);
}

}  // namespace npuscope::compare
