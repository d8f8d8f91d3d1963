#include "compare/rules/rule.h"

namespace npuscope::compare {

namespace {

bool is_order_sensitive(const Evidence& evidence) {
    return evidence.target() != nullptr && evidence.target()->reordered && evidence.differs();
}

std::string order_sensitive_text(const Evidence& evidence) {
    return evidence.share_text(evidence.sums.unequal) +
           " are other places, of elements that are equal up to rounding";
}

}  // namespace

const Rule k_order_sensitive_rule = {
    .name = "order_sensitive",
    .meaning = "places that differ, of elements that are equal up to rounding",
    .verdict = Verdict::kOrderSensitive,
    .applies = is_order_sensitive,
    .text = order_sensitive_text};

}  // namespace npuscope::compare
