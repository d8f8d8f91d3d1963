// What one side gives to an op and the other side has nowhere, as ops of a plan.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "compare/relate/relate.h"
#include "core/recording/source.h"

namespace npuscope::compare {

struct Plan;

/// A parameter, buffer or input of the model of one side alone (compare/relate/nowhere.h), at an op
/// that takes it in. Borrows the source.
struct OneSidedGiven {
    bool of_target = false;
    const SourceOp* op = nullptr;       ///< of that side
    const SourceOp* partner = nullptr;  ///< of the other side; nullptr: it has none
    std::string argument{};
    std::string path{};
    std::string dtype{};
    Shape shape{};
    size_t tensor = 0;        ///< equal for all uses of one
    bool else_alike = false;  ///< all else that the op is given, its partner has as well

    /// All its extents but one are 1.
    [[nodiscard]] bool is_vector() const {
        return std::ranges::count_if(shape, [](int64_t extent) { return extent > 1; }) <= 1;
    }
};

/// Of each such tensor all ops that take it in, in their order; by the pairs of the plan.
[[nodiscard]] std::vector<OneSidedGiven> one_sided_givens(const Relations& relations,
                                                          const Source& target,
                                                          const Source& golden,
                                                          const Plan& plan);

}  // namespace npuscope::compare
