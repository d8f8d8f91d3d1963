#include "npu_backend/ops/schema.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace npuscope::backend {
namespace {

TEST(Schema, reads_names_kinds_defaults_and_results) {
    const Schema schema = Schema::parse(
        "pool.out(Tensor self, int[2] kernel, int[2] stride=[], int[2] padding=0, *, Scalar "
        "alpha=0.5, bool flag=True, ScalarType? dtype=None, str mode=\"none\") -> (Tensor, "
        "Tensor)");
    EXPECT_EQ(schema.name, "pool_out");
    ASSERT_EQ(schema.arguments.size(), 8u);
    EXPECT_EQ(schema.arguments[1].repeat, 2u);
    EXPECT_EQ(std::get<IntList>(schema.arguments[2].default_value), IntList{});
    EXPECT_EQ(std::get<IntList>(schema.arguments[3].default_value), (IntList{0, 0}));
    EXPECT_EQ(std::get<Scalar>(schema.arguments[4].default_value), Scalar{0.5});
    EXPECT_TRUE(std::get<bool>(schema.arguments[5].default_value));
    EXPECT_TRUE(schema.arguments[6].optional);
    EXPECT_EQ(std::get<std::string>(schema.arguments[7].default_value), "none");
    EXPECT_EQ(schema.results[1].name, "result1");
    EXPECT_EQ(Schema::parse("f(Tensor x) -> Tensor").results[0].name, "result");
    EXPECT_EQ(Schema::parse("f(Tensor x) -> Tensor[]").results[0].kind, ArgumentKind::kTensorList);
}

TEST(Schema, binds_by_position_and_by_name) {
    const Schema schema =
        Schema::parse("f(Tensor self, int[2] size, float eps=1e-5, Tensor? bias=None) -> Tensor");
    const NamedValues bound = schema.bind({Tensor(), int64_t{3}});
    ASSERT_EQ(bound.size(), 4u);
    EXPECT_EQ(std::get<IntList>(bound[1].value), (IntList{3, 3}));
    EXPECT_EQ(std::get<double>(bound[2].value), 1e-5);
    EXPECT_TRUE(is_none(bound[3].value));
    const NamedValues named =
        schema.bind_named({{"eps", int64_t{1}}, {"size", IntList{1, 2}}, {"self", Tensor()}});
    EXPECT_EQ(named[0].name, "self");
    EXPECT_EQ(std::get<double>(named[2].value), 1.0);
}

TEST(Schema, takes_lists_of_floats_and_of_optional_tensors) {
    const Schema schema =
        Schema::parse("f(Tensor?[] indices, float[]? scale_factors, Generator? g=None) -> Tensor");
    const NamedValues bound = schema.bind({TensorList{Tensor()}, IntList{2, 3}});
    EXPECT_EQ(std::get<FloatList>(bound[1].value), (FloatList{2.0, 3.0}));
    EXPECT_EQ(std::get<FloatList>(schema.bind({TensorList{}, FloatList{0.5}})[1].value),
              FloatList{0.5});
    EXPECT_TRUE(is_none(schema.bind({TensorList{}, Value()})[1].value));
    EXPECT_THROW((void)schema.bind({TensorList{}, std::string("x")}), Error);
}

TEST(Schema, gives_numbers_for_tensors_the_precision_of_the_others) {
    const Schema schema = Schema::parse("f(Tensor self, Tensor other) -> Tensor");
    const auto dtype_beside = [&](DType dtype, Shape shape) {
        const NamedValues bound = schema.bind({Tensor::zeros(dtype, std::move(shape)), 0.1});
        return std::get<Tensor>(bound[1].value).dtype();
    };
    EXPECT_EQ(dtype_beside(DType::kFloat64, {2}), DType::kFloat64);
    EXPECT_EQ(dtype_beside(DType::kFloat32, {2}), DType::kFloat32);
    EXPECT_EQ(dtype_beside(DType::kFloat16, {2}), DType::kFloat32);
    EXPECT_EQ(dtype_beside(DType::kFloat16, {}), DType::kFloat16);
    EXPECT_EQ(dtype_beside(DType::kInt64, {2}), DType::kFloat32);
    const NamedValues named =
        schema.bind_named({{"other", 0.1}, {"self", Tensor::zeros(DType::kFloat64, {1})}});
    EXPECT_EQ(std::get<Tensor>(named[1].value).at(0), 0.1);
}

TEST(Schema, rejects_wrong_kinds_and_missing_arguments) {
    const Schema schema = Schema::parse("f(Tensor self, int[] size) -> Tensor");
    EXPECT_THROW((void)schema.bind({Tensor()}), Error);
    EXPECT_THROW((void)schema.bind({Tensor(), std::string("x")}), Error);
    EXPECT_THROW((void)schema.bind({Value(), IntList{}}), Error);
    EXPECT_THROW((void)schema.bind({Tensor(), IntList{}, int64_t{1}}), Error);
}

TEST(Schema, rejects_lines_that_do_not_parse) {
    EXPECT_THROW((void)Schema::parse("f"), Error);
    EXPECT_THROW((void)Schema::parse("f(Widget x) -> Tensor"), Error);
    EXPECT_THROW((void)Schema::parse("f(int x=one) -> Tensor"), Error);
}

}  // namespace
}  // namespace npuscope::backend
