#include "diagnose/judge/two_products.h"

#include <gtest/gtest.h>

namespace npuscope::diagnose {
namespace {

size_t column_named(std::string_view name) {
    for (const ProductClass& by : product_classes())
        if (by.name == name) return column_of(by);
    return product_classes().size();
}

TEST(TwoProducts, count_classes_as_one_that_round_the_same_bits_off) {
    const ProductClass& nearest = product_classes()[column_named("TF32 inputs, fp32 sums")];
    const ProductClass& cut = product_classes()[column_named("TF32 inputs (truncated), fp32 sums")];
    EXPECT_TRUE(are_of_one_library(nearest, cut));
    EXPECT_FALSE(are_of_one_library(
        nearest, product_classes()[column_named("HF32 inputs (truncated), fp32 sums")]));
    EXPECT_FALSE(are_of_one_library(
        product_classes()[column_named("fp16 inputs, fp32 sums")],
        product_classes()[column_named("fp16 inputs that saturate, fp32 sums")]));
    SampledRun run{
        .group = {OpKind::kProduct}, .ratios = {}, .either = {}, .off_by = {}, .name = "mm"};
    run.ratios.fill(9);
    run.either.fill(9);
    run.ratios[column_of(cut)] = 0.5;
    const SampledRun found = by_libraries({run}).front();
    EXPECT_EQ(found.ratios[column_of(nearest)], 0.5);
    EXPECT_EQ(found.ratios[kPlainColumn], 9);
}

}  // namespace
}  // namespace npuscope::diagnose
