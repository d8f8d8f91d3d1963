#include <fmt/format.h>

#include "compare/rules/rule.h"

namespace npuscope::compare {

namespace {

bool is_inherited(const Evidence& evidence) {
    return evidence.target() != nullptr && evidence.differs();
}

std::string inherited_text(const Evidence& evidence) {
    const std::string own =
        fmt::format("its own arithmetic is off by {:.2g}, {:.2g} of what {} may be",
                    evidence.target()->relative,
                    evidence.target()->ratio,
                    evidence.target()->arithmetic);
    if (!evidence.split->inherited)
        return fmt::format("off by {:.2g} max|g|; {}", evidence.relative_error(), own);
    return fmt::format("off by {:.2g} max|g|, {:.2g} of it came in through the inputs; {}",
                       evidence.relative_error(),
                       *evidence.split->inherited,
                       own);
}

}  // namespace

const Rule k_inherited_rule = {
    .name = "inherited",
    .meaning = "the sides differ, and what the target's op added is honest: it came in",
    .verdict = Verdict::kInherited,
    .applies = is_inherited,
    .text = inherited_text};

}  // namespace npuscope::compare
