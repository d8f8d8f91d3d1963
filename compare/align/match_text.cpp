#include "compare/align/match_text.h"

#include "core/naming/aliases.h"

namespace npuscope::compare {

namespace {

/// "alias conv2d=convolution" when the names differ, "" when they are equal.
std::string alias_text(const std::string& target, const std::string& golden) {
    if (target == golden) return {};
    const Alias* row = find_alias(target);
    if (row == nullptr || row->canonical == target) row = find_alias(golden);
    if (row == nullptr) return {};
    const Alias* other = find_alias(golden);
    std::string text = "alias " + std::string(row->name) + "=" + std::string(row->canonical);
    if (other != nullptr && other != row)
        text += ", alias " + std::string(other->name) + "=" + std::string(other->canonical);
    return text;
}

}  // namespace

std::string match_text(const char* rule, const std::string& target, const std::string& golden) {
    const std::string alias = alias_text(target, golden);
    return alias.empty() ? rule : std::string(rule) + ", " + alias;
}

}  // namespace npuscope::compare
