#include "compare/rules/rule.h"

namespace npuscope::compare {

namespace {

bool is_went_wrong_live(const Evidence& evidence) {
    return evidence.history != nullptr && !evidence.history->fault.empty();
}

std::string went_wrong_live_text(const Evidence& evidence) {
    return "since the tensor before it: " + evidence.history->fault;
}

}  // namespace

const Rule k_went_wrong_live_rule = {
    .name = "went_wrong_live",
    .meaning =
        "an op between the tensor before it and this one was judged as it ran, and added more than "
        "honest arithmetic makes of its inputs",
    .verdict = Verdict::kFail,
    .applies = is_went_wrong_live,
    .text = went_wrong_live_text};

}  // namespace npuscope::compare
