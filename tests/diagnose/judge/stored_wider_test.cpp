#include "diagnose/judge/stored_wider.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "diagnose/judge/composed_op.h"
#include "tests/diagnose/judge/runs.h"

namespace npuscope::diagnose {
namespace {

using test::floats;

/// 64 numbers, of bfloat16 where that is asked for.
Tensor sines(bool narrow) {
    std::vector<float> values;
    for (int i = 1; i <= 64; ++i)
        values.push_back(std::sin(static_cast<float>(i)));
    const Tensor wide = floats(std::move(values));
    return narrow ? wide.cast(DType::kBFloat16).cast(DType::kFloat32) : wide;
}

/// Dtypes of what tanh took in and gave out.
std::vector<DType> dtypes_after(Tensor self, Tensor result) {
    OpRun run = test::recorded_run("tanh", {{"self", std::move(self)}}, std::move(result));
    narrow_stored_wider(run);
    return {std::get<Tensor>(run.arguments[0].value).dtype(), run.results[0].elements.dtype()};
}

TEST(StoredWider, is_what_holds_numbers_of_bfloat16_on_both_sides_of_the_op) {
    const std::vector<DType> narrow(2, DType::kBFloat16);
    EXPECT_EQ(dtypes_after(sines(true), sines(true)), narrow);
}

TEST(StoredWider, is_no_op_that_took_in_or_gave_out_more) {
    const std::vector<DType> as_recorded(2, DType::kFloat32);
    EXPECT_EQ(dtypes_after(sines(false), sines(true)), as_recorded);
    EXPECT_EQ(dtypes_after(sines(true), sines(false)), as_recorded);
}

// Below 2^-16 float16 has no bits that bfloat16 lacks.
TEST(StoredWider, is_not_told_by_subnormal_numbers_of_float16) {
    std::vector<float> values;
    for (int i = 1; i <= 64; ++i)
        values.push_back(static_cast<float>(i * 37 % 128) * 0x1p-24F);
    const Tensor small = floats(values);
    const std::vector<DType> as_recorded(2, DType::kFloat32);
    EXPECT_EQ(dtypes_after(small, small), as_recorded);
}

TEST(StoredWider, may_have_parameters_of_float32_in_a_norm) {
    OpRun norm = test::recorded_run("native_layer_norm",
                                    {{"input", sines(true)}, {"weight", sines(false)}},
                                    sines(true),
                                    "result0");
    OpRun product = test::recorded_run(
        "mul_Tensor", {{"self", sines(true)}, {"other", sines(false)}}, sines(true));
    for (OpRun* run : {&norm, &product})
        narrow_stored_wider(*run);
    EXPECT_EQ(std::get<Tensor>(norm.arguments[0].value).dtype(), DType::kBFloat16);
    EXPECT_EQ(std::get<Tensor>(norm.arguments[1].value).dtype(), DType::kFloat32);
    EXPECT_EQ(norm.results[0].elements.dtype(), DType::kBFloat16);
    EXPECT_EQ(product.results[0].elements.dtype(), DType::kFloat32);
}

TEST(StoredWider, is_what_is_computed_beside_a_number_of_float32) {
    const auto narrowed = [](Tensor other) {
        OpRun run = test::recorded_run(
            "mul_Tensor", {{"self", sines(true)}, {"other", std::move(other)}}, sines(true));
        narrow_stored_wider(run);
        EXPECT_EQ(std::get<Tensor>(run.arguments[1].value).dtype(), DType::kFloat32);
        return run.results[0].elements.dtype();
    };
    const Tensor one = floats({0.01F});
    EXPECT_EQ(narrowed(one.reshaped({})), DType::kBFloat16);
    EXPECT_EQ(narrowed(one), DType::kFloat32);
}

TEST(StoredWider, is_the_gradient_of_a_softmax_of_bfloat16_whatever_it_is_given) {
    const auto narrowed = [](const char* op, bool is_known) {
        OpRun run = test::recorded_run(
            op, {{"grad_output", sines(false)}, {"output", sines(false)}}, sines(true));
        narrow_stored_wider(run, is_known);
        EXPECT_EQ(std::get<Tensor>(run.arguments[0].value).dtype(), DType::kFloat32);
        return run.results[0].elements.dtype();
    };
    EXPECT_EQ(narrowed("_softmax_backward_data", true), DType::kBFloat16);
    EXPECT_EQ(narrowed("_softmax_backward_data", false), DType::kFloat32);
    EXPECT_EQ(narrowed("tanh_backward", true), DType::kFloat32);
}

TEST(StoredWider, is_told_beside_what_a_forward_pass_kept_in_float32) {
    const Tensor query = sines(true).reshaped({1, 2, 4, 8});
    OpRun run = test::recorded_run("tanh",
                                   {{"query", query},
                                    {"key", query},
                                    {"value", query},
                                    {"dy", query},
                                    {"softmax_max", sines(false)}},
                                   query,
                                   "result0");
    run.op = find_composed_op("npu_fusion_attention_grad");
    narrow_stored_wider(run);
    EXPECT_EQ(std::get<Tensor>(run.arguments[0].value).dtype(), DType::kBFloat16);
    EXPECT_EQ(std::get<Tensor>(run.arguments[4].value).dtype(), DType::kFloat32);
    EXPECT_EQ(run.results[0].elements.dtype(), DType::kBFloat16);
}

TEST(StoredWider, keeps_the_dtype_of_what_is_written_in_place) {
    OpRun run = test::recorded_run(
        "mul__Tensor", {{"other", sines(false)}, {"self", sines(true)}}, sines(true), "self");
    narrow_stored_wider(run);
    EXPECT_EQ(std::get<Tensor>(run.arguments[0].value).dtype(), DType::kFloat32);
    EXPECT_EQ(std::get<Tensor>(run.arguments[1].value).dtype(), DType::kBFloat16);
    EXPECT_EQ(run.results[0].elements.dtype(), DType::kBFloat16);
}

TEST(StoredWider, is_not_told_by_numbers_that_are_short_anyway) {
    const std::vector<DType> as_recorded(2, DType::kFloat32);
    const Tensor mask = floats(std::vector<float>(64, 1.0F));
    EXPECT_EQ(dtypes_after(mask, sines(true)), as_recorded);
    EXPECT_EQ(dtypes_after(sines(true), mask), as_recorded);
}

TEST(StoredWider, is_told_by_fewer_numbers_where_the_recorder_is_known_to) {
    const auto narrowed = [](bool is_known) {
        // 1 + 0.0078125 (a number of bfloat16) and a mask: two elements tell of 16.
        OpRun run =
            test::recorded_run("mul_Tensor",
                               {{"self", floats({1.0078125F, 1})}, {"other", floats({1, 1})}},
                               floats({1.0078125F, 1}));
        narrow_stored_wider(run, is_known);
        return run.results[0].elements.dtype();
    };
    EXPECT_EQ(narrowed(false), DType::kFloat32);
    EXPECT_EQ(narrowed(true), DType::kBFloat16);
}

/// An exponential of numbers of bfloat16, rounded to that or not.
SourceOp exponential(bool is_rounded) {
    return {.id = {"exp", 1}, .path = "/exp/1", .load = [is_rounded] {
                const Tensor x = sines(true);
                std::vector<float> values;
                for (const float value : x.as<float>())
                    values.push_back(std::exp(value));
                Tensor y = floats(std::move(values));
                if (is_rounded) y = y.cast(DType::kBFloat16).cast(DType::kFloat32);
                SourceTensor in{.argument = "self", .path = "self", .dtype = {}, .shape = {}};
                in.direction = dumpfile::Direction::kInput;
                in.hold(x);
                SourceTensor out{.argument = "result", .path = "result", .dtype = {}, .shape = {}};
                out.hold(y);
                return std::vector<SourceTensor>{in, out};
            }};
}

TEST(StoredWider, is_known_of_a_source_where_three_runs_were_rounded) {
    const auto is_known = [](int rounded) {
        Source source;
        for (int i = 0; i < 6; ++i)
            source.ops.push_back(exponential(i < rounded));
        mark_stored_wider(source);
        return source.ops.back().stores_wider;
    };
    EXPECT_FALSE(is_known(2));
    EXPECT_TRUE(is_known(3));
}

TEST(StoredWider, leaves_other_dtypes_as_they_are) {
    const auto found =
        dtypes_after(sines(true).cast(DType::kFloat64), sines(true).cast(DType::kFloat16));
    EXPECT_EQ(found, (std::vector<DType>{DType::kFloat64, DType::kFloat16}));
}

}  // namespace
}  // namespace npuscope::diagnose
