#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "npu_backend/executor.h"
#include "tests/npu_backend/op_rows.h"

namespace npuscope {
namespace {

Executor reference(int64_t seed) {
    return Executor(Device::reference32(), {.seed = seed});
}

const Shape kShape = {200, 100};

Tensor ones() {
    Tensor tensor(DType::kFloat32, kShape);
    for (float& value : tensor.mutable_as<float>())
        value = 1;
    return tensor;
}

/// Arguments with which each random op gives 20000 numbers, and their mean and variance.
struct Expected {
    std::vector<Value> arguments;
    double mean, variance;
};

const std::map<std::string, Expected>& drawn() {
    const IntList size = {200, 100};
    static const std::map<std::string, Expected> rows = {
        {"bernoulli_p", {{ones(), 0.25}, 0.25, 0.1875}},
        {"bernoulli__float", {{ones(), 0.25}, 0.25, 0.1875}},
        {"bernoulli__Tensor", {{ones(), Tensor::scalar<float>(0.25F)}, 0.25, 0.1875}},
        {"bernoulli", {{ones()}, 1, 0}},
        {"rand", {{size}, 0.5, 1.0 / 12}},
        {"randn", {{size}, 0, 1}},
        {"rand_like", {{ones()}, 0.5, 1.0 / 12}},
        {"randn_like", {{ones()}, 0, 1}},
        {"uniform_", {{ones(), -1.0, 1.0}, 0, 1.0 / 3}},
        {"normal_", {{ones(), 2.0, 0.5}, 2, 0.25}},
        {"randint", {{int64_t{4}, size}, 1.5, 1.25}},
        {"randint_low", {{int64_t{-1}, int64_t{3}, size}, 0.5, 1.25}},
        {"randperm", {{int64_t{20000}}, 9999.5, (4e8 - 1) / 12}},
        {"native_dropout", {{ones(), 0.5, true}, 1, 1}},
    };
    return rows;
}

TEST(RandomOps, draw_from_their_distributions) {
    for (const auto& [name, expected] : drawn()) {
        const Results results = reference(7).call(name, expected.arguments);
        const Tensor& x = results.tensor();
        double sum = 0;
        double squares = 0;
        for (int64_t i = 0; i < x.numel(); ++i) {
            sum += x.at(i);
            squares += x.at(i) * x.at(i);
        }
        const double mean = sum / static_cast<double>(x.numel());
        const double spread = std::sqrt(std::max(expected.variance, 1e-12));
        EXPECT_NEAR(mean, expected.mean, 0.03 * spread) << name;
        EXPECT_NEAR(squares / static_cast<double>(x.numel()) - mean * mean,
                    expected.variance,
                    0.05 * expected.variance + 1e-9)
            << name;
    }
}

TEST(RandomOps, follow_the_seed_and_the_order_of_calls) {
    for (const auto& [name, expected] : drawn()) {
        if (expected.variance == 0) continue;
        Executor first = reference(7);
        Executor again = reference(7);
        const Tensor one = first.call(name, expected.arguments);
        EXPECT_TRUE(identical(one, again.call(name, expected.arguments))) << name;
        EXPECT_FALSE(identical(one, again.call(name, expected.arguments))) << name;
        EXPECT_FALSE(identical(one, reference(8).call(name, expected.arguments))) << name;
    }
}

TEST(RandomOps, are_all_tested) {
    for (const std::string& name : test::names_of(backend::randoms_ops()))
        EXPECT_TRUE(drawn().contains(name) || name == "native_dropout_backward") << name;
    test::check_op("native_dropout_backward");
}

TEST(NativeDropout, gives_its_mask_and_keeps_what_it_shows) {
    Executor npu(Device::npu(chip("910A")));
    const Results results = npu.call("native_dropout", {ones(), 0.5, true});
    const Tensor& y = results.tensor(0);
    const Tensor& mask = results.tensor(1);
    ASSERT_EQ(mask.dtype(), DType::kBool);
    for (int64_t i = 0; i < y.numel(); ++i)
        ASSERT_EQ(y.at(i), mask.at(i) != 0 ? 2 : 0);
    const Results whole = npu.call("native_dropout", {ones(), 0.5, false});
    EXPECT_TRUE(identical(whole.tensor(), ones()));
}

TEST(RandomOps, reject_what_is_no_probability) {
    EXPECT_THROW((void)reference(0).call("native_dropout", {ones(), 1.5, true}), Error);
    EXPECT_THROW((void)reference(0).call("bernoulli_p", {ones(), -0.5}), Error);
    EXPECT_THROW((void)reference(0).call("randint", {int64_t{0}, IntList{2}}), Error);
}

}  // namespace
}  // namespace npuscope
