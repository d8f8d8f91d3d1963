#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/npu_backend/kernels/kernel_run.h"

namespace npuscope::backend::test {
namespace {

TEST(Scatter, repeated_places_take_the_last_or_all) {
    const Tensor x = Tensor::from<float>({3}, {1, 1, 1});
    const Tensor index = Tensor::from<int64_t>({2}, {-1, 2});
    const Tensor updates = Tensor::from<float>({2}, {5, 7});
    const auto last = [&](const char* how) {
        return run_kernel("ScatterElements",
                          {x, index, updates},
                          {{"axis", int64_t{0}}, {"reduction", std::string(how)}})
            .outputs[0]
            .at(2);
    };
    EXPECT_EQ(last("none"), 7);
    EXPECT_EQ(last("add"), 13);
    EXPECT_EQ(last("mul"), 35);
    EXPECT_EQ(last("max"), 7);
    EXPECT_EQ(last("min"), 1);
}

TEST(Scatter, rejects_places_outside) {
    EXPECT_THROW((void)run_kernel("ScatterElements",
                                  {Tensor::from<float>({3}, {1, 1, 1}),
                                   Tensor::from<int64_t>({1}, {3}),
                                   Tensor::from<float>({1}, {5})},
                                  {{"axis", int64_t{0}}, {"reduction", std::string("none")}}),
                 Error);
}

}  // namespace
}  // namespace npuscope::backend::test
