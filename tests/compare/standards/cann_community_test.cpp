#include <gtest/gtest.h>

#include "tests/compare/standards/scored.h"

namespace npuscope::compare {
namespace {

/// Of elements around 1, the first off by `error`.
std::string community_word(DType dtype, double error, size_t count = 64) {
    std::vector<double> exact(count, 1.0);
    std::vector<double> off = exact;
    off[0] += error;
    return scored("cann-community", numbers(dtype, off), numbers(DType::kFloat64, exact)).word;
}

TEST(CannCommunity, allows_the_largest_error_ten_times_the_threshold_of_the_dtype) {
    for (const auto& [dtype, threshold] : {std::pair{DType::kFloat16, 0x1p-10},
                                           std::pair{DType::kBFloat16, 0x1p-7},
                                           std::pair{DType::kFloat32, 0x1p-13},
                                           std::pair{DType::kFloat64, 0x1p-13}}) {
        EXPECT_EQ(community_word(dtype, 9 * threshold), "pass") << name_of(dtype);
        EXPECT_EQ(community_word(dtype, 11 * threshold), "fail") << name_of(dtype);
        // The mean of one element is its own.
        EXPECT_EQ(community_word(dtype, 2 * threshold, 1), "fail") << name_of(dtype);
    }
}

TEST(CannCommunity, allows_more_of_what_was_computed_as_hf32) {
    const auto word = [](ComputeType computed) {
        const std::vector<double> exact(64, 1.0);
        std::vector<double> off = exact;
        off[0] += 0x1p-9;
        Source target = hand_made({{"exp", {}, {{"result", numbers(DType::kFloat32, off)}}}});
        const Source golden =
            hand_made({{"exp", {}, {{"result", numbers(DType::kFloat32, exact)}}}});
        const auto load = target.ops[0].load;
        target.ops[0].load = [load, computed] {
            auto tensors = load();
            tensors[0].compute_type = computed;
            return tensors;
        };
        Options options;
        options.standard.standard = &standard_named("cann-community");
        return compare_sources(target, golden, PrecisionBounds(), options).ops.at(0).standard.word;
    };
    EXPECT_EQ(word(ComputeType::kHFloat32), "pass");
    EXPECT_EQ(word(ComputeType::kFloat32), "fail");
}

TEST(CannCommunity, judges_whole_numbers_by_equality) {
    const Tensor whole = numbers(DType::kInt64, {1, 2});
    EXPECT_EQ(scored("cann-community", whole, whole).word, "pass");
    EXPECT_EQ(scored("cann-community", numbers(DType::kInt64, {1, 3}), whole).word, "fail");
}

TEST(CannCommunity, says_what_nobody_can_read) {
    const Tensor short_one = numbers(DType::kFloat32, {1});
    const StandardVerdict verdict =
        scored("cann-community", short_one, numbers(DType::kFloat32, {1, 2}));
    EXPECT_EQ(verdict.level, StandardLevel::kNotJudged);
    EXPECT_EQ(verdict.why, "shapes differ");
}

}  // namespace
}  // namespace npuscope::compare
