#include "core/recording/overwritten_inputs.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/support/values.h"

namespace npuscope {
namespace {

using test::floats;

SourceTensor tensor(dumpfile::Direction direction,
                    const std::string& argument,
                    std::vector<float> values) {
    SourceTensor made{
        .direction = direction, .argument = argument, .path = argument, .dtype = {}, .shape = {}};
    made.hold(floats(std::move(values)));
    return made;
}

/// self + other, and what the recorder holds as `self`.
SourceOp sum(const std::string& name,
             std::vector<float> self,
             std::vector<float> result,
             std::vector<float> other = {1, 2}) {
    return {.id = {name, 1}, .path = "/" + name + "/1", .load = [=] {
                using dumpfile::Direction;
                return std::vector<SourceTensor>{tensor(Direction::kInput, "self", self),
                                                 tensor(Direction::kInput, "other", other),
                                                 tensor(Direction::kOutput, "result", result)};
            }};
}

/// How many of the ops are set apart.
size_t set_apart(std::vector<SourceOp> ops) {
    Source source;
    source.ops = std::move(ops);
    set_apart_overwritten(source);
    size_t found = 0;
    for (const SourceOp& op : source.ops) {
        if (!op.calls) continue;
        EXPECT_THROW((void)op.calls(), Error);
        EXPECT_TRUE(op.shows_self_after);
        ++found;
    }
    EXPECT_EQ(source.remarks.size(), found > 0 ? 1U : 0U);
    return found;
}

TEST(OverwrittenInputs, are_what_ops_gave_out_in_place) {
    EXPECT_EQ(set_apart({sum("add__Tensor", {2, 4}, {2, 4}),
                         sum("add_Tensor", {1, 2}, {2, 4}),
                         sum("mul_", {3, 8}, {3, 8})}),
              2U);
}

TEST(OverwrittenInputs, are_none_where_one_is_not) {
    EXPECT_EQ(set_apart({sum("add__Tensor", {1, 2}, {2, 4}),
                         sum("add__Tensor", {3, 8}, {3, 8}),
                         sum("mul_", {3, 8}, {3, 8})}),
              0U);
}

TEST(OverwrittenInputs, are_not_told_by_one_op_or_by_zeros) {
    EXPECT_EQ(set_apart({sum("add__Tensor", {2, 4}, {2, 4})}), 0U);
    EXPECT_EQ(set_apart({sum("add__Tensor", {2, 4}, {2, 4}, {0, 0}),
                         sum("add__Tensor", {3, 8}, {3, 8}, {0, 0})}),
              0U);
}

TEST(OverwrittenInputs, are_not_told_by_factors_of_one) {
    EXPECT_EQ(set_apart({sum("mul__Tensor", {2, 4}, {2, 4}, {1, 1}),
                         sum("mul__Tensor", {3, 8}, {3, 8}, {1, 1})}),
              0U);
}

// Recorders of numbers alone write alpha as one.
TEST(OverwrittenInputs, are_told_by_sums_with_a_one) {
    EXPECT_EQ(set_apart({sum("add__Tensor", {2, 4}, {2, 4}, {1, 1}),
                         sum("aten.add_.Tensor", {3, 8}, {3, 8}, {1, 1})}),
              2U);
}

/// Lists of one tensor each, of which a file may hold the other first.
SourceOp sum_of_lists(std::vector<float> self, std::vector<float> result) {
    return {.id = {"_foreach_add__List", 1}, .path = "/_foreach_add__List/1", .load = [=] {
                using dumpfile::Direction;
                return std::vector<SourceTensor>{
                    tensor(Direction::kInput, "self/self_0", self),
                    tensor(Direction::kInput, "other/other_0", {1, 2}),
                    tensor(Direction::kOutput, "result/result_0", result)};
            }};
}

TEST(OverwrittenInputs, are_told_by_the_first_of_a_list) {
    EXPECT_EQ(set_apart({sum_of_lists({2, 4}, {2, 4}), sum("add__Tensor", {3, 8}, {3, 8})}), 2U);
    EXPECT_EQ(set_apart({sum_of_lists({1, 2}, {2, 4}), sum("add__Tensor", {3, 8}, {3, 8})}), 0U);
}

TEST(OverwrittenInputs, are_told_by_every_name) {
    std::vector<SourceOp> ops;
    for (int i = 0; i < 20; ++i)
        ops.push_back(sum("mul__Tensor", {2, 4}, {2, 4}));
    EXPECT_EQ(set_apart(ops), 20U);
    ops.push_back(sum("add__Tensor", {1, 2}, {2, 4}));
    EXPECT_EQ(set_apart(ops), 0U);
}

TEST(OverwrittenInputs, are_not_asked_of_ops_that_make_another_tensor) {
    EXPECT_EQ(set_apart({sum("relu_", {2, 4}, {2, 4}),
                         sum("add_Tensor", {2, 4}, {2, 4}),
                         sum("add_Tensor", {2, 4}, {2, 4})}),
              0U);
}

}  // namespace
}  // namespace npuscope
