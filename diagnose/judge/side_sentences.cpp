#include <algorithm>

#include <fmt/format.h>

#include "diagnose/judge/number_format.h"
#include "diagnose/judge/side_judge.h"

namespace npuscope::diagnose {

namespace {

/// Ops of one class together, by their names: "exp, mean".
std::vector<std::pair<std::string, InferredArithmetic>> by_class(
    const std::map<std::string, InferredArithmetic>& ops) {
    std::vector<std::pair<std::string, InferredArithmetic>> classes;
    for (const auto& [name, own] : ops) {
        const auto found = std::ranges::find(
            classes, own.vector, [](const auto& each) { return each.second.vector; });
        if (found == classes.end()) {
            classes.emplace_back(name, own);
            continue;
        }
        found->first += ", " + name;
        found->second.sampled += own.sampled;
        found->second.within += own.within;
    }
    return classes;
}

}  // namespace

std::vector<std::string> SideJudge::sentences() const {
    std::vector<std::string> lines;
    const auto tell = [&](const std::string& what, const InferredArithmetic& inferred) {
        const std::string evidence =
            device_ == nullptr ? fmt::format("{} of {} sampled", inferred.within, inferred.sampled)
                               : fmt::format("as {} states, {} op{}",
                                             device_->description(),
                                             inferred.sampled,
                                             inferred.sampled == 1 ? "" : "s");
        lines.push_back(fmt::format("{}: {} ({})", what, inferred.name(), evidence));
    };
    for (const auto& [group, inferred] : classes_)
        tell(name_of(group), inferred);
    for (const auto& [group, apart] : apart_) {
        std::map<std::string, InferredArithmetic> ops = apart.ops;
        if (apart.any) {
            tell(fmt::format("other ops ({}, rounded results)", name_of(group.dtype)), *apart.any);
            std::erase_if(
                ops, [&](const auto& each) { return each.second.vector == apart.any->vector; });
        }
        for (const auto& [names, inferred] : by_class(ops))
            tell(fmt::format("{} ({})", names, name_of(group.dtype)), inferred);
    }
    for (const auto& [name, forms] : forms_)
        if (forms.common().value_or(0) > 0)
            lines.push_back(fmt::format("{}: its results are those of {}", name, forms.last));
    return lines;
}

}  // namespace npuscope::diagnose
