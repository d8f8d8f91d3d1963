#include <fmt/format.h>

#include "compare/rules/rule.h"

namespace npuscope::compare {

namespace {

bool is_not_computed(const Evidence& evidence) {
    return evidence.split != nullptr && !evidence.is_input && evidence.target() == nullptr &&
           evidence.differs();
}

std::string not_computed_text(const Evidence& evidence) {
    return fmt::format("off by {:.2g} max|g|, and nobody can tell since when: {}",
                       evidence.relative_error(),
                       evidence.split->why_not);
}

}  // namespace

const Rule k_not_computed_rule = {
    .name = "not_computed",
    .meaning = "the sides differ, and the target's op cannot be computed again",
    .verdict = Verdict::kNotProvable,
    .applies = is_not_computed,
    .text = not_computed_text};

}  // namespace npuscope::compare
