#include <fmt/format.h>

#include "compare/rules/rule.h"

namespace npuscope::compare {

namespace {

/// Both sides agree with each other, and neither with what is computed here: the op means something
/// else than its name says here.
bool is_reference_differs(const Evidence& evidence) {
    return evidence.target() != nullptr && evidence.golden() != nullptr &&
           evidence.target()->ratio > 1 && evidence.golden()->ratio > 1 && !evidence.differs();
}

std::string reference_differs_text(const Evidence& evidence) {
    return fmt::format("the sides agree, but both are off by {:.2g} of what is computed here",
                       evidence.golden()->relative);
}

}  // namespace

const Rule k_reference_differs_rule = {
    .name = "reference_differs",
    .meaning = "the sides agree with each other, and neither with the op as it is computed here",
    .verdict = Verdict::kMistrusted,
    .applies = is_reference_differs,
    .text = reference_differs_text};

}  // namespace npuscope::compare
