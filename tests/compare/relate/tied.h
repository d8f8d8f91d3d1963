// What a tie holds against each other.
#pragma once

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "compare/relate/tie.h"

namespace npuscope::test {

/// The golden tensor of a tie, as it is to be compared, less the target's: the largest difference.
inline double largest_difference(const compare::TensorTie& tie) {
    const compare::TiedTensors both = compare::tensors_of(tie);
    const Tensor mine = both.target.open()->whole();
    const Tensor theirs = both.golden.open()->whole();
    EXPECT_EQ(mine.shape(), theirs.shape());
    double largest = 0;
    for (int64_t i = 0; i < mine.numel(); ++i)
        largest = std::max(largest, std::abs(mine.at(i) - theirs.at(i)));
    return largest;
}

}  // namespace npuscope::test
