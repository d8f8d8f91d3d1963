#include "msaccucmp/folders/op_selection.h"

#include <algorithm>
#include <array>

#include "core/base/words.h"
#include "msaccucmp/base/exit_codes.h"

namespace npuscope::msaccucmp {

namespace {

int64_t natural_or_end(const std::string& text, const std::string& problem) {
    if (const auto value = natural(text)) return *value;
    throw CommandError(kInvalidParameter, problem);
}

}  // namespace

OpSelection::OpSelection(const CompareOptions& options) {
    if (options.range && !options.range->empty()) {
        parse_range(*options.range);
    } else if (options.select && !options.select->empty()) {
        parse_selection(*options.select);
    }
}

void OpSelection::parse_range(const std::string& text) {
    const std::string problem = "-r '" + text + "' is not of the form start,end,step.";
    const auto parts = fields_of(text, ',');
    if (parts.size() != 3) throw CommandError(kInvalidParameter, problem);
    Range range;
    const std::array<int64_t*, 3> targets = {&range.start, &range.end, &range.step};
    for (size_t i = 0; i < parts.size(); ++i) {
        const std::string part = trimmed(parts[i]);
        if (part.empty() || (i == 1 && part == "-1")) continue;
        *targets[i] = natural_or_end(part, problem);
    }
    range_ = range;
}

void OpSelection::parse_selection(const std::string& text) {
    std::vector<int64_t> selected;
    for (const std::string& each : fields_of(text, ',')) {
        const std::string part = trimmed(each);
        if (!part.empty())
            selected.push_back(
                natural_or_end(part, "-s '" + text + "' is not of the form i,j,..."));
    }
    std::sort(selected.begin(), selected.end());
    selected.erase(std::unique(selected.begin(), selected.end()), selected.end());
    selected_ = std::move(selected);
}

void OpSelection::check(const FusionRule& rule, Log& log) {
    if (!range_ && !selected_) return;
    const int64_t last = rule.by_sequence.empty() ? 0 : rule.ops[rule.by_sequence.back()].sequence;
    if (range_) {
        const auto require = [&](bool good, const char* name, int64_t value) {
            if (!good)
                throw CommandError(kIndexOutOfBounds,
                                   "The " + std::string(name) + " " + std::to_string(value) +
                                       " of -r does not fit a model whose last op has the id " +
                                       std::to_string(last) + ".");
        };
        require(range_->start >= 1 && range_->start <= last, "start", range_->start);
        if (range_->end == -1) range_->end = last;
        require(range_->end >= range_->start && range_->end <= last, "end", range_->end);
        require(range_->step >= 1 && range_->step < last, "step", range_->step);
        return;
    }
    const auto beyond = std::upper_bound(selected_->begin(), selected_->end(), last);
    if (beyond == selected_->end()) return;
    const std::string problem =
        "-s names ids above " + std::to_string(last) + ", the last op's; they are left out.";
    if (beyond == selected_->begin()) throw CommandError(kInvalidParameter, problem);
    log.warning(problem);
    selected_->erase(beyond, selected_->end());
}

bool OpSelection::has(int64_t sequence) const {
    if (selected_) return std::binary_search(selected_->begin(), selected_->end(), sequence);
    if (sequence < range_->start || sequence > range_->end) return false;
    return sequence == range_->end || (sequence - range_->start) % range_->step == 0;
}

std::vector<const FusionGroup*> OpSelection::groups_of(const FusionRule& rule) const {
    std::vector<const FusionGroup*> groups;
    if (!range_ && !selected_) {
        for (const FusionGroup& group : rule.groups)
            groups.push_back(&group);
        return groups;
    }
    for (const size_t index : rule.by_sequence) {
        const FusionOp& op = rule.ops[index];
        const FusionGroup* group = has(op.sequence) ? rule.group_of(op.name) : nullptr;
        if (group != nullptr && std::find(groups.begin(), groups.end(), group) == groups.end())
            groups.push_back(group);
    }
    return groups;
}

}  // namespace npuscope::msaccucmp
