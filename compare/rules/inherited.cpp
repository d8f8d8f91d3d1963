#include <fmt/format.h>

#include "compare/rules/rule.h"

namespace npuscope::compare {

namespace {

bool is_inherited(const Evidence& evidence) {
    return evidence.inherited && evidence.beyond_bound() &&
           evidence.relative_error() <= evidence.inherited->limit;
}

std::string inherited_text(const Evidence& evidence) {
    return fmt::format(
        "off by {:.2g} max|g|, {}", evidence.relative_error(), evidence.inherited->why);
}

}  // namespace

const Rule k_inherited_rule = {
    .name = "inherited",
    .meaning = "beyond the bound, but no more than its inputs and the ops before it explain",
    .verdict = Verdict::kInherited,
    .applies = is_inherited,
    .text = inherited_text};

}  // namespace npuscope::compare
