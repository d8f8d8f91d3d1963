// The quick way to split an error: on a part of large runs.
#include <algorithm>

#include "diagnose/judge/exact_run.h"
#include "diagnose/judge/furthest_off.h"
#include "diagnose/judge/part_of_run.h"
#include "diagnose/judge/split.h"

namespace npuscope::diagnose {

namespace {

using compare::Split;

/// Elements of a part: half of them are those that are furthest apart.
constexpr int64_t kElementsOfPart = kTellingElements / 2;

/// Where the first results of both runs are furthest apart; nothing where they cannot be held
/// against each other.
std::vector<int64_t> furthest_apart(const OpRun& target, const OpRun& golden) {
    if (golden.results.empty()) return {};
    const Tensor& one = target.results.front().elements;
    const Tensor& other = golden.results.front().elements;
    if (one.numel() != other.numel() || !is_float(one.dtype()) || !is_float(other.dtype()))
        return {};
    return furthest_off(one, other, kElementsOfPart / 2);
}

bool is_clear(const Split& split) {
    return split.target && split.target->ratio <= 1 && split.why_not.empty() &&
           !(split.golden && split.golden->ratio > 1) &&
           split.by_golden_arguments.value_or(0) <= 1 && !split.is_other_constant;
}

}  // namespace

std::optional<std::vector<Split>> RecomputingSplitter::split_part(
    const compare::OpPair& pair,
    const std::vector<compare::SplitQuery>& outputs,
    const std::vector<ArgumentDifference>& arguments) const {
    if (!pair.also_target.empty() || !pair.also_golden.empty() || pair.golden == nullptr)
        return std::nullopt;
    std::optional<PartOfRun> part;
    std::optional<OpRun> golden_part;
    {
        const std::unique_lock<std::mutex> alone = alone_if_large(*pair.target);
        std::string why_not;
        auto target = load_run(*pair.target, why_not, known_inputs(pair), false, false);
        if (!target || !is_large(*target)) return std::nullopt;
        target->known_cut = cuts_.cut_of(*target);
        const auto golden = load_run(*pair.golden, why_not, {}, false, false);
        if (!golden) return std::nullopt;
        part = part_of(*target, kElementsOfPart, furthest_apart(*target, *golden));
        if (!part) return std::nullopt;
        cuts_.learn(*target, part->cut);
        golden_part = same_part(*golden, *part);
        if (!golden_part) return std::nullopt;
        require_intact(*target);
        require_intact(*golden);
    }
    const auto golden_run = [&] { return std::optional(*golden_part); };
    std::vector<Split> splits =
        split_loaded(pair, std::move(part->run), golden_run, outputs, arguments);
    if (!std::ranges::all_of(splits, is_clear)) return std::nullopt;
    for (size_t i = 0; i < splits.size(); ++i)
        if (outputs[i].target != nullptr)
            splits[i].target->numel = numel_of(outputs[i].target->shape);
    return splits;
}

}  // namespace npuscope::diagnose
