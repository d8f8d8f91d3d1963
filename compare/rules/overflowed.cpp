#include <fmt/format.h>

#include "compare/rules/rule.h"

namespace npuscope::compare {

namespace {

bool is_overflowed(const Evidence& evidence) {
    const Introduced* golden = evidence.golden();
    return evidence.target() != nullptr && evidence.target()->overflowed > 0 &&
           evidence.target()->ratio <= 1 && evidence.differs() &&
           (golden == nullptr || golden->overflowed == 0);
}

std::string overflowed_text(const Evidence& evidence) {
    const bool is_narrow = evidence.dtype == DType::kFloat16 || evidence.dtype == DType::kBFloat16;
    return fmt::format("f(inputs) leaves the range of {} at {}",
                       is_narrow ? name_of(evidence.dtype) : evidence.target()->arithmetic,
                       evidence.share_text(evidence.target()->overflowed));
}

}  // namespace

const Rule k_overflowed_rule = {
    .name = "overflowed",
    .meaning = "the exact result leaves the range of the target's arithmetic, not of the golden's",
    .verdict = Verdict::kOutOfRange,
    .applies = is_overflowed,
    .text = overflowed_text};

}  // namespace npuscope::compare
