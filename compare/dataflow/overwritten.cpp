#include "compare/dataflow/overwritten.h"

#include <algorithm>
#include <array>

#include "core/naming/unspecified.h"

namespace npuscope::compare {

namespace {

/// In-place ops that do not read what they overwrite; their overloads begin with the same name.
constexpr std::array<std::string_view, 12> kOverwriting{"copy_",
                                                        "zero_",
                                                        "fill_",
                                                        "bernoulli_",
                                                        "normal_",
                                                        "uniform_",
                                                        "random_",
                                                        "exponential_",
                                                        "geometric_",
                                                        "log_normal_",
                                                        "cauchy_",
                                                        "set_"};

}  // namespace

bool is_overwritten(std::string_view op, std::string_view argument) {
    if (argument == "out" || argument == "grad_input") return true;
    if (is_unspecified(op, argument, false)) return true;
    const auto begins = [&](std::string_view name) { return op.starts_with(name); };
    return argument == "self" && std::ranges::any_of(kOverwriting, begins);
}

}  // namespace npuscope::compare
