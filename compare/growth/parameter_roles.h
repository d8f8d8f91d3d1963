// Parameters among results alone: what was there before the others, and what was made of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compare/compare.h"

namespace npuscope::compare {

enum class ParameterRole : uint8_t {
    kNone,     ///< no parameter
    kGiven,    ///< made of nothing
    kUpdated,  ///< stands behind a gradient
    kLast      ///< results of modules are before it and none behind it, or there are none
};

/// Of each place in the result, by names (module_names.h). Gradients and an optimizer's states are
/// no results of modules. Where all there is are parameters, they are `kGiven`.
[[nodiscard]] std::vector<ParameterRole> parameter_roles(const Result& result);

/// Whether there are results, and all are parameters: a checkpoint.
[[nodiscard]] bool holds_parameters_alone(const Result& result);

}  // namespace npuscope::compare
