#include <fmt/format.h>

#include "compare/rules/rule.h"

namespace npuscope::compare {

namespace {

bool is_honest_live(const Evidence& evidence) {
    return evidence.history != nullptr && evidence.history->honest &&
           evidence.history->same_program && evidence.differs();
}

std::string honest_live_text(const Evidence& evidence) {
    return fmt::format(
        "off by {:.2g} max|g|; both sides ran the same ops before it, and each was judged as it "
        "ran",
        evidence.relative_error());
}

}  // namespace

const Rule k_honest_live_rule = {
    .name = "honest_live",
    .meaning =
        "the sides differ after the same ops; as they ran, each added no more than honest "
        "arithmetic makes of its inputs",
    .verdict = Verdict::kInherited,
    .applies = is_honest_live,
    .text = honest_live_text};

}  // namespace npuscope::compare
