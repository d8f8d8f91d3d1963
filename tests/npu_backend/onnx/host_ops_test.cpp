#include "npu_backend/onnx/host_ops.h"

#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace npuscope::onnx_model {
namespace {

Tensor ints(std::initializer_list<int64_t> values) {
    return Tensor::from<int64_t>({static_cast<int64_t>(values.size())}, values);
}

Tensor evaluated(std::string_view ir_name, NamedValues arguments) {
    auto results = evaluate_on_host(ir_name, arguments);
    EXPECT_TRUE(results.has_value()) << ir_name;
    return results ? results->at(0) : Tensor();
}

Tensor binary(std::string_view ir_name, Tensor a, Tensor b) {
    return evaluated(ir_name, {{"self", std::move(a)}, {"other", std::move(b)}});
}

TEST(HostOps, compute_integers_exactly) {
    constexpr int64_t kLarge = (int64_t{1} << 53) + 1;
    EXPECT_TRUE(
        identical(binary("add_Tensor", ints({kLarge, 5}), ints({0, -7})), ints({kLarge, -2})));
    EXPECT_TRUE(identical(binary("sub_Tensor", ints({3}), ints({5})), ints({-2})));
    EXPECT_TRUE(identical(binary("mul_Tensor", ints({-3}), ints({7})), ints({-21})));
    EXPECT_TRUE(identical(
        evaluated("pow_Tensor_Scalar", {{"self", ints({-3, 2})}, {"exponent", Scalar{int64_t{3}}}}),
        ints({-27, 8})));
}

TEST(HostOps, divide_integers_toward_zero) {
    constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
    EXPECT_TRUE(
        identical(binary("div_Tensor_mode", ints({7, -7, 7, kLowest}), ints({2, 2, -2, -1})),
                  ints({3, -3, -3, kLowest})));
}

TEST(HostOps, round_floats_once_to_their_dtype) {
    const Tensor quotient = binary("div_Tensor", Tensor::scalar(1.0f), Tensor::scalar(3.0f));
    EXPECT_TRUE(identical(quotient, Tensor::scalar(1.0f / 3.0f)));
    const Tensor half = binary("add_Tensor",
                               Tensor::scalar(2048.0f).cast(DType::kFloat16),
                               Tensor::scalar(1.0f).cast(DType::kFloat16));
    EXPECT_EQ(half.dtype(), DType::kFloat16);
    EXPECT_EQ(half.at(0), 2048.0) << "a tie goes to even";
}

TEST(HostOps, broadcast_as_numpy) {
    const Tensor sum =
        binary("add_Tensor", Tensor::from<int64_t>({2, 1}, {10, 20}), ints({1, 2, 3}));
    EXPECT_TRUE(identical(sum, Tensor::from<int64_t>({2, 3}, {11, 12, 13, 21, 22, 23})));
    EXPECT_EQ(broadcast({2, 1, 3}, {4, 1}), (Shape{2, 4, 3}));
    EXPECT_EQ(broadcast({}, {0}), (Shape{0}));
}

TEST(HostOps, re_describe_and_join) {
    const Tensor matrix = Tensor::from<int64_t>({2, 3}, {1, 2, 3, 4, 5, 6});
    EXPECT_TRUE(identical(evaluated("permute", {{"self", matrix}, {"dims", IntList{1, 0}}}),
                          Tensor::from<int64_t>({3, 2}, {1, 4, 2, 5, 3, 6})));
    EXPECT_TRUE(identical(evaluated("slice_Tensor",
                                    {{"self", matrix},
                                     {"dim", int64_t{1}},
                                     {"start", int64_t{0}},
                                     {"end", int64_t{3}},
                                     {"step", int64_t{2}}}),
                          Tensor::from<int64_t>({2, 2}, {1, 3, 4, 6})));
    EXPECT_TRUE(identical(
        evaluated("select_int", {{"self", matrix}, {"dim", int64_t{0}}, {"index", int64_t{1}}}),
        ints({4, 5, 6})));
    EXPECT_TRUE(identical(
        evaluated("index_select", {{"self", matrix}, {"dim", int64_t{1}}, {"index", ints({2, 0})}}),
        Tensor::from<int64_t>({2, 2}, {3, 1, 6, 4})));
    EXPECT_TRUE(
        identical(evaluated("cat", {{"tensors", TensorList{matrix, matrix}}, {"dim", int64_t{1}}}),
                  Tensor::from<int64_t>({2, 6}, {1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6})));
    const auto parts =
        evaluate_on_host("split_with_sizes",
                         {{"self", matrix}, {"split_sizes", IntList{1, 2}}, {"dim", int64_t{1}}});
    ASSERT_TRUE(parts && parts->size() == 2);
    EXPECT_TRUE(identical(parts->at(1), Tensor::from<int64_t>({2, 2}, {2, 3, 5, 6})));
}

TEST(HostOps, leave_other_ops_to_the_executor) {
    EXPECT_FALSE(evaluate_on_host("relu", {{"self", ints({1})}}));
    EXPECT_FALSE(evaluate_on_host("addmm", {}));
}

TEST(HostOps, rejects_division_by_zero_misfits_and_huge_shapes) {
    EXPECT_THROW(binary("div_Tensor_mode", ints({1}), ints({0})), Error);
    EXPECT_THROW(binary("pow_Tensor_Scalar", ints({1}), ints({0})), Error);
    EXPECT_THROW(binary("add_Tensor", ints({1, 2}), ints({1, 2, 3})), Error);
    EXPECT_THROW(evaluated("expand", {{"self", ints({1})}, {"size", IntList{1 << 14, 1 << 14}}}),
                 Error);
    EXPECT_THROW(require_host_size({1 << 14, 1 << 14}), Error);
}

}  // namespace
}  // namespace npuscope::onnx_model
