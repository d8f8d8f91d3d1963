#include <fmt/format.h>

#include "compare/rules/rule.h"

namespace npuscope::compare {

namespace {

bool is_argument_differs(const Evidence& evidence) {
    return evidence.target() != nullptr && (evidence.split->by_golden_arguments.value_or(0) > 1 ||
                                            evidence.split->is_other_constant);
}

std::string argument_differs_text(const Evidence& evidence) {
    return fmt::format("called with other arguments: {}; {}",
                       evidence.split->arguments,
                       evidence.split->by_golden_arguments.value_or(0) > 1
                           ? "with the golden's its results would be others"
                           : "its results are those of its own");
}

}  // namespace

const Rule k_argument_differs_rule = {
    .name = "argument_differs",
    .meaning =
        "the op was called with other numbers than the golden's, and they change its results, or "
        "one is a constant of the program",
    .verdict = Verdict::kFail,
    .applies = is_argument_differs,
    .text = argument_differs_text};

}  // namespace npuscope::compare
