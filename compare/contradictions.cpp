#include "compare/contradictions.h"

#include <string>
#include <utility>

#include <fmt/format.h>

namespace npuscope::compare {

void take_contradictions(const Plan& plan,
                         std::vector<ArithmeticContradiction> contradictions,
                         Result& result) {
    for (ArithmeticContradiction& each : contradictions) {
        const auto op = static_cast<size_t>(each.first - plan.ops.data());
        each.first = nullptr;
        std::string text =
            fmt::format("all {} behave like {} ({} of {} sampled); expected {}{} ({} of {})",
                        each.ops,
                        each.found,
                        each.found_explains,
                        each.sampled,
                        each.expected,
                        each.because.empty() ? "" : " of " + each.because,
                        each.expected_explains,
                        each.sampled);
        result.culprits.push_back({.kind = CulpritKind::kArithmetic, .op = op, .why = text});
        result.contradictions.push_back(
            {.found = std::move(each), .text = std::move(text), .op = op});
    }
}

}  // namespace npuscope::compare
