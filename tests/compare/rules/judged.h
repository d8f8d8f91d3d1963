// What the rules see of two small tensors.
#pragma once

#include <vector>

#include "compare/measure/accumulate.h"
#include "compare/rules/rule.h"
#include "tests/support/values.h"

namespace npuscope::test {

inline compare::Judgement judged(const Tensor& target,
                                 const Tensor& golden,
                                 const compare::Bound& bound,
                                 const compare::Split* split = nullptr) {
    const compare::Sums sums = compare::accumulate(target, golden, false, 1);
    return compare::judge({sums, bound, target.dtype(), split});
}

inline compare::Judgement judged(const std::vector<float>& target,
                                 const std::vector<float>& golden,
                                 const compare::Bound& bound = {.tolerance = 0.01,
                                                                .source = "test"}) {
    return judged(floats(target), floats(golden), bound);
}

/// The same when somebody was asked what the sides introduced.
inline compare::Judgement judged_with(const std::vector<float>& target,
                                      const std::vector<float>& golden,
                                      const compare::Split& split) {
    const compare::Sums sums = compare::accumulate(floats(target), floats(golden), false, 1);
    const compare::Bound bound{.tolerance = 0.01, .source = "test"};
    return compare::judge({.sums = sums, .bound = bound, .split = &split});
}

}  // namespace npuscope::test
