#include <fmt/format.h>

#include "compare/rules/rule.h"

namespace npuscope::compare {

namespace {

bool is_came_in(const Evidence& evidence) {
    return evidence.split != nullptr && evidence.is_input && evidence.differs();
}

std::string came_in_text(const Evidence& evidence) {
    return fmt::format("off by {:.2g} max|g|", evidence.relative_error());
}

}  // namespace

const Rule k_came_in_rule = {.name = "came_in",
                             .meaning = "an input that differs: no op computes its inputs",
                             .verdict = Verdict::kInherited,
                             .applies = is_came_in,
                             .text = came_in_text};

}  // namespace npuscope::compare
