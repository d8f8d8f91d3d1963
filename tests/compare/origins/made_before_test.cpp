#include "compare/origins/made_before.h"

#include <gtest/gtest.h>

#include "tests/compare/compared_programs.h"

namespace npuscope::compare {
namespace {

const Shape kSummedRows = {8, 16};

/// Sums are of elements that are about 1 each.
class SumsOfOnes final : public Bounds {
  public:
    [[nodiscard]] Bound bound(const BoundQuery& query) const override {
        return plain_.bound(query);
    }
    [[nodiscard]] double sum_of_magnitudes(const BoundQuery& query) const override {
        return query.golden.starts_with("/sum/") ? 8 : 0;
    }

  private:
    PrecisionBounds plain_{};
};

Tensor times(const Tensor& tensor, float factor) {
    return changed(tensor, [&](float x) { return x * factor; });
}

/// A sum that is `size` times random numbers, what sqrt makes of it, and exp of `given`.
std::vector<HandMadeOp> program(unsigned seed, float size, const Tensor& given) {
    const Tensor a = random_tensor(kSummedRows, 1);
    const Tensor sum = times(random_tensor({8}, seed), size);
    return {
        step("sum", a, sum), step("sqrt", sum, times(sum, 3)), step("exp", given, times(given, 2))};
}

std::vector<std::string> accused(const Tensor& target, const Tensor& golden, float size = 1e-6F) {
    Options options;
    WrittenSplitter splitter;
    options.splitter = &splitter;
    std::vector<std::string> tensors;
    for (const Culprit& culprit : compare_sources(hand_made(program(21, size, target)),
                                                  hand_made(program(22, size, golden)),
                                                  SumsOfOnes(),
                                                  options)
                                      .culprits)
        tensors.push_back(culprit.tensor);
    return tensors;
}

using Texts = std::vector<std::string>;

// What was chance before is chance here: no other tensor came of it.
TEST(MadeBefore, leaves_out_sums_of_rounding_alone_for_tensors_of_other_sizes) {
    const Tensor given = random_tensor(kSummedRows, 3);
    EXPECT_EQ(accused(off_by(given, 0.3F, 4), given), Texts{"/exp/3/input/self"});
    EXPECT_EQ(accused(given, given), Texts{});
}

TEST(MadeBefore, counts_rounding_alone_for_what_may_be_made_of_it) {
    const Tensor given = random_tensor({8}, 3);
    EXPECT_EQ(accused(off_by(given, 0.3F, 4), given), Texts{});
    // Expanded by a view that is not recorded.
    const auto expanded = [](const Tensor& row) {
        Tensor rows(DType::kFloat32, kSummedRows);
        for (size_t i = 0; i < 128; ++i)
            rows.mutable_as<float>()[i] = row.as<float>()[i / 16];
        return rows;
    };
    EXPECT_EQ(accused(expanded(off_by(given, 0.3F, 4)), expanded(given)), Texts{});
}

TEST(MadeBefore, counts_sums_that_are_off_by_more_than_rounding_makes) {
    const Tensor given = random_tensor(kSummedRows, 3);
    EXPECT_EQ(accused(off_by(given, 0.3F, 4), given, 1), Texts{});
}

}  // namespace
}  // namespace npuscope::compare
