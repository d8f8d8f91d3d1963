#include "compare/growth/result_order.h"

#include <cmath>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace npuscope::compare {
namespace {

/// Of 4 elements each, so far off of the golden's norm.
Result results(const std::vector<std::pair<std::string, double>>& named) {
    Result result;
    result.by_calls = true;
    for (const auto& [name, off] : named) {
        OpResult op;
        op.target = op.golden = name;
        op.id = {name, 0};
        TensorResult tensor;
        tensor.direction = dumpfile::Direction::kOutput;
        tensor.dtype = "float32";
        tensor.metrics = {1.0};
        const int64_t numel = name == "loss" ? 1 : 4;
        tensor.sums.numel = tensor.sums.pairs = numel;
        tensor.sums.gg = tensor.sums.tt = 1;
        tensor.sums.dd = off * off;
        op.tensors.push_back(tensor);
        result.ops.push_back(op);
    }
    return result;
}

std::vector<std::pair<std::string, double>> gradients(double front, double back) {
    std::vector<std::pair<std::string, double>> named = {{"loss", 0.0}};
    for (int layer = 0; layer < 8; ++layer)
        named.emplace_back("fc" + std::to_string((layer + 3) % 8) + ".weight.grad",
                           layer < 4 ? front : back);
    return named;
}

TEST(ResultOrder, GradientsAreMadeFromTheEndThatIsNearer) {
    EXPECT_EQ(result_order(results(gradients(1e-2, 1e-3))),
              (std::vector<size_t>{0, 8, 7, 6, 5, 4, 3, 2, 1}));
    EXPECT_EQ(result_order(results(gradients(1e-3, 1e-2))),
              (std::vector<size_t>{0, 1, 2, 3, 4, 5, 6, 7, 8}));
    EXPECT_EQ(result_order(results(gradients(1e-3, 1e-3))),
              (std::vector<size_t>{0, 1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(ResultOrder, ParametersAreLeftOutOrLast) {
    EXPECT_EQ(
        result_order(results({{"fc.weight", 0.0}, {"fc", 1e-3}, {"act", 1e-3}, {"fc.bias", 1e-3}})),
        (std::vector<size_t>{1, 2, 3}));
}

TEST(ResultOrder, NamesInTheOrderOfLettersTellNoTime) {
    EXPECT_TRUE(
        result_order(
            results({{"a", 0.0}, {"b", 0.0}, {"c", 0.0}, {"d", 0.0}, {"e", 0.0}, {"f", 0.0}}))
            .empty());
}

TEST(ResultOrder, GradientsOfParametersMayBeAllThereIs) {
    EXPECT_TRUE(holds_parameter_gradients_alone(results({{"loss", 0.0}, {"fc.weight.grad", 0.0}})));
    EXPECT_FALSE(holds_parameter_gradients_alone(results({{"fc", 0.0}, {"fc.weight.grad", 0.0}})));
    EXPECT_FALSE(holds_parameter_gradients_alone(Result{}));
}

}  // namespace
}  // namespace npuscope::compare
