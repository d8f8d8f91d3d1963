#include "compare/relate/block_orders.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "compare/relate/arrangements.h"
#include "compare/relate/mapping.h"
#include "compare/relate/relate.h"
#include "compare/relate/ties.h"
#include "core/base/error.h"
#include "tests/compare/relate/made_side.h"

namespace npuscope::compare {

namespace {

using test::add_op;
using test::random_tensor;
using test::transposed;

/// Rows of a tensor in blocks of `length`, in this order of theirs.
Tensor rows(const Tensor& tensor, int64_t length, const std::vector<int64_t>& order) {
    Tensor result(DType::kFloat32,
                  {length * std::ssize(order), tensor.numel() / tensor.shape().front()});
    const int64_t block = length * result.dim(1);
    auto to = result.mutable_as<float>().begin();
    for (const int64_t each : order)
        to = std::ranges::copy(tensor.as<float>().subspan(static_cast<size_t>(each * block),
                                                          static_cast<size_t>(block)),
                               to)
                 .out;
    return result;
}

/// One op a side, which is given these.
Relations related(const std::vector<Tensor>& target, const std::vector<Tensor>& golden) {
    Source one;
    Source other;
    add_op(one, "LSTM", target, random_tensor({7, 5}, 90));
    add_op(other, "steps", golden, random_tensor({7, 5}, 90));
    return relate(one, other, 1);
}

}  // namespace

TEST(BlockOrders, are_those_of_two_to_four_blocks) {
    const View rows_of_twelve{.shape = {12, 2}, .source_numel = 24, .loops = {{12, 2}, {2, 1}}};
    const std::vector<View> found = block_orders(rows_of_twelve);
    // 2! + 3! + 4! orders without those that change nothing; an axis of two has no blocks of two.
    EXPECT_EQ(found.size(), 1U + 5U + 23U);
    for (const View& each : found) {
        EXPECT_TRUE(has_block_order(each));
        EXPECT_TRUE(stays_inside(each));
        EXPECT_FALSE(is_in_order(each));
        EXPECT_EQ(without_block_order(each), rows_of_twelve);
    }
    const Tensor source = random_tensor({12, 2}, 1);
    EXPECT_TRUE(identical(apply(found.front(), source), rows(source, 6, {1, 0})));
    EXPECT_EQ(text_of(found.front(), {12, 2}), "blocks of 6 along axis 0 in the order 1,0");
}

TEST(BlockOrders, of_gates_are_found_in_weights) {
    // ONNX: input, output, forget, cell. PyTorch: input, forget, cell, output.
    const Tensor weight = random_tensor({32, 10}, 2);
    const Tensor theirs = rows(weight, 8, {0, 3, 1, 2});
    const Relations found = related({theirs}, {weight});
    ASSERT_EQ(found.found.size(), 2U);
    const TensorRelation& relation = found.found.front();
    EXPECT_EQ(relation.kind, RelationKind::kPermuted);
    EXPECT_EQ(relation.text, "blocks of 8 along axis 0 in the order 0,2,3,1");
    ASSERT_TRUE(relation.target_view.has_value());
    EXPECT_TRUE(identical(apply(*relation.target_view, theirs), weight));
    // The other way round, and transposed besides: GRU, of three gates.
    const Tensor three = random_tensor({24, 10}, 3);
    const Relations both = related({transposed(rows(three, 8, {1, 0, 2}))}, {three});
    ASSERT_EQ(both.found.size(), 2U);
    EXPECT_EQ(both.found.front().text,
              "its transpose, blocks of 8 along axis 1 in the order 1,0,2");
}

TEST(BlockOrders, of_gates_are_found_in_parts_of_a_vector) {
    const Tensor one = random_tensor({32, 1}, 4);
    const Tensor other = random_tensor({32, 1}, 5);
    Tensor both(DType::kFloat32, {1, 64});
    size_t at = 0;
    for (const Tensor& each : {rows(one, 8, {0, 3, 1, 2}), rows(other, 8, {0, 3, 1, 2})})
        for (const float value : each.as<float>())
            both.mutable_as<float>()[at++] = value;
    const Relations found = related({both}, {one, other});
    std::vector<std::string> texts;
    for (const TensorRelation& each : found.found)
        if (each.kind == RelationKind::kPart) {
            texts.push_back(each.text);
            ASSERT_TRUE(each.target_view.has_value());
            const Tensor& part = texts.size() == 1 ? one : other;
            EXPECT_EQ(apply(*each.target_view, both).as<float>()[9], part.as<float>()[9]);
        }
    EXPECT_EQ(texts,
              (std::vector<std::string>{
                  "0:32 along axis 1 of [1,64], blocks of 8 along axis 1 in the order 0,2,3,1",
                  "32:64 along axis 1 of [1,64], blocks of 8 along axis 1 in the order 0,2,3,1"}));
}

TEST(BlockOrders, are_written_and_read_in_mappings) {
    const Tensor weight = random_tensor({32, 10}, 2);
    Source target;
    Source golden;
    add_op(target, "a", {}, rows(weight, 8, {2, 0, 3, 1}));
    add_op(golden, "b", {}, weight);
    const auto ties = ties_of(relate(target, golden, 1), target, golden);
    ASSERT_EQ(ties.size(), 1U);
    const std::string text = mapping_text(ties);
    int64_t unknown = 0;
    const auto read = ties_written(text, "m.json", target, golden, unknown);
    ASSERT_EQ(read.size(), 1U);
    EXPECT_EQ(read[0].target_view, ties[0].target_view);
    const TiedTensors both = tensors_of(read[0]);
    EXPECT_TRUE(identical(both.target.open()->whole(), both.golden.open()->whole()));
    // What is no order of its places is refused.
    const std::string path = R"("target": "/a/1/output/result", "golden": "/b/1/output/result")";
    for (const char* loop : {"[4, 80, [0, 1, 1, 2]]",
                             "[4, 80, [0, 1, 2]]",
                             "[4, 80, [1, 2, 3, 4]]",
                             "[4, -80, [0, 2, 1, 3]]",
                             "[4, 80, [0, 2, 1, -3]]",
                             "[6, 50, [0, 2, 1, 3, 5, 4]]"})
        EXPECT_THROW(
            (void)ties_written(
                R"({"version": 1, "tensors": [{)" + path +
                    R"(, "target_view": {"shape": [320], "of": 320, "offset": 0, "loops": [)" +
                    loop + R"(, [80, 1]]}}]})",
                "m.json",
                target,
                golden,
                unknown),
            Error)
            << loop;
}

}  // namespace npuscope::compare
