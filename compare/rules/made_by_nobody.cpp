#include <cmath>

#include <fmt/format.h>

#include "compare/rules/rule.h"

namespace npuscope::compare {

namespace {

bool is_made_by_nobody(const Evidence& evidence) {
    return evidence.is_input && evidence.from_nothing.has_value() && evidence.differs();
}

std::string made_by_nobody_text(const Evidence& evidence) {
    const std::string before =
        *evidence.from_nothing > 0
            ? fmt::format(
                  "what was computed before it and may have made it is off by {:.2g} at most",
                  *evidence.from_nothing)
            : "all that was computed before it is the golden's";
    return fmt::format(
        "off by {:.2g} max|g|, and nothing before it made that: no recorded op made it, and {}",
        evidence.relative_error(),
        before);
}

}  // namespace

const Rule k_made_by_nobody_rule = {
    .name = "made_by_nobody",
    .meaning =
        "an input that differs by more than what was computed before it and may have made it, and "
        "no recorded op made it",
    .verdict = Verdict::kFail,
    .applies = is_made_by_nobody,
    .text = made_by_nobody_text};

}  // namespace npuscope::compare
