#include "compare/dataflow/one_element.h"

#include <gtest/gtest.h>

#include "tests/compare/dataflow/hand_made.h"

namespace npuscope::compare {
namespace {

/// A cumulative sum, one of whose numbers is multiplied.
Source running_total(float noise, size_t place) {
    const Tensor x = random_tensor({5}, 1);
    Tensor sums(DType::kFloat32, {5});
    float sum = 0;
    for (size_t i = 0; i < 5; ++i)
        sums.mutable_as<float>()[i] = sum += x.as<float>()[i] * noise;
    Tensor taken(DType::kFloat32, {});
    taken.mutable_as<float>()[0] = sums.as<float>()[place];
    return hand_made({{"cumsum", {{"self", x}}, {{"result", sums}}},
                      {"neg", {{"self", taken}}, {{"result", taken}}}});
}

bool is_taken_out(const Source& target, const Source& golden) {
    TracedPair pair(target, golden);
    return is_one_element(pair.flows, pair.flows.inputs().at(1));
}

TEST(OneElement, is_at_one_place_of_both_sides_results) {
    EXPECT_TRUE(is_taken_out(running_total(1.00001F, 4), running_total(1, 4)));
    EXPECT_FALSE(is_taken_out(running_total(1.00001F, 3), running_total(1, 4)));
}

TEST(OneElement, is_no_number_that_no_result_holds) {
    const auto source = [](float number) {
        const Tensor x = random_tensor({5}, 1);
        Tensor taken(DType::kFloat32, {});
        taken.mutable_as<float>()[0] = number;
        return hand_made({{"neg", {{"self", x}}, {{"result", x}}},
                          {"neg", {{"self", taken}}, {{"result", taken}}}});
    };
    EXPECT_FALSE(is_taken_out(source(0.001F), source(0.002F)));
}

}  // namespace
}  // namespace npuscope::compare
