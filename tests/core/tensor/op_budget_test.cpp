#include "core/tensor/op_budget.h"

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/tensor/tensor.h"

namespace npuscope {
namespace {

/// "" without one.
std::string error_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
        return error.what();
    }
    return "";
}

TEST(OpLimits, follow_from_what_a_program_is_given) {
    EXPECT_EQ(OpLimits::for_given(0).elements, 1 << 24);
    EXPECT_EQ(OpLimits::for_given(1 << 20).elements, 1 << 26);
    EXPECT_EQ(OpLimits::for_given(1 << 26).elements, 1 << 30);
    EXPECT_EQ(OpLimits::for_given(int64_t{5} << 30).elements, int64_t{5} << 30);
    EXPECT_EQ(OpLimits::for_given(INT64_MAX).elements, INT64_MAX);
    EXPECT_EQ(OpLimits::of_elements(1000).steps, 4096 * 1000);
    EXPECT_EQ(OpLimits::of_elements(INT64_MAX).steps, INT64_MAX);
}

TEST(OpBudget, refuses_a_tensor_that_is_too_large_and_says_its_shape) {
    const OpBudget budget({.elements = 100, .settable = true});
    EXPECT_EQ(error_of([] { const Tensor fits(DType::kFloat32, {10, 10}); }), "");
    EXPECT_EQ(
        error_of([] { const Tensor large(DType::kFloat32, {101}); }),
        "a tensor of shape [101] has 101 elements, and one op may make 100 of them; allow more "
        "elements if that is meant");
}

TEST(OpBudget, adds_steps_up) {
    const OpBudget budget({.steps = 100});
    EXPECT_EQ(error_of([] { OpBudget::take_steps({2, 3, 10}); }), "");
    EXPECT_EQ(error_of([] { OpBudget::take_steps({0, INT64_MAX}); }), "");
    EXPECT_EQ(error_of([] { OpBudget::take_steps({41}); }),
              "it takes more than 100 steps (multiply-adds and the like), the limit of one op");
    EXPECT_NE(error_of([] { OpBudget::take_steps({INT64_MAX, INT64_MAX}); }), "");
    EXPECT_EQ(error_of([] { OpBudget::take_steps({40}); }), "");
}

TEST(OpBudget, counts_many_small_tensors) {
    const OpBudget budget({.steps = 1 << 20});
    EXPECT_NE(error_of([] {
                  for (int i = 0; i < 65; ++i)
                      const Tensor small(DType::kFloat32, {1});
              }),
              "");
}

TEST(OpBudget, ends_with_its_scope) {
    {
        const OpBudget outer({.elements = 10});
        {
            const OpBudget inner({.elements = 20});
            EXPECT_EQ(error_of([] { const Tensor fits(DType::kFloat32, {20}); }), "");
        }
        EXPECT_NE(error_of([] { const Tensor large(DType::kFloat32, {20}); }), "");
    }
    EXPECT_EQ(error_of([] { const Tensor free(DType::kFloat32, {20}); }), "");
    OpBudget::take_steps({INT64_MAX});
}

}  // namespace
}  // namespace npuscope
