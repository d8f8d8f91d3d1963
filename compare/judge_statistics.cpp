#include "compare/judge_statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace npuscope::compare {

namespace {

/// "max", "max and min", "max, min and mean"
std::string listed(const std::vector<const char*>& words) {
    std::string text;
    for (size_t i = 0; i < words.size(); ++i)
        text += std::string(i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
    return text;
}

struct Number {
    const char* name;
    std::optional<double> target;
    std::optional<double> golden;
    double scale;
};

/// Those of a tensor, without a place of their own in memory: there are very many tensors.
struct Numbers {
    std::array<Number, kStatistics> all{};
    size_t count = kStatistics;

    [[nodiscard]] std::span<const Number> used() const { return std::span(all).first(count); }
};

/// Each with what it is relative to. Recorders of sums of magnitudes keep nothing else.
Numbers numbers_of(const RecordedStatistics& target, const RecordedStatistics& golden) {
    if (target.l1 && golden.l1)
        return {{{{"sum of magnitudes", target.l1, golden.l1, golden.l1.value_or(0)}}}, 1};
    const double largest =
        std::max(std::fabs(golden.max.value_or(0)), std::fabs(golden.min.value_or(0)));
    return {{{{"max", target.max, golden.max, largest},
              {"min", target.min, golden.min, largest},
              {"mean", target.mean, golden.mean, largest},
              {"norm", target.norm, golden.norm, golden.norm.value_or(0)}}}};
}

bool are_same(double one, double other) {
    return one == other || (std::isnan(one) && std::isnan(other));
}

}  // namespace

std::string first_change(const RecordedStatistics& target, const RecordedStatistics& golden) {
    const Numbers numbers = numbers_of(target, golden);
    for (const Number& each : numbers.used()) {
        if (!each.target || !each.golden || are_same(*each.target, *each.golden)) continue;
        std::string mine = fmt::format("{:g}", *each.target);
        std::string theirs = fmt::format("{:g}", *each.golden);
        // As many digits as tell them apart.
        if (mine == theirs) {
            mine = fmt::format("{}", *each.target);
            theirs = fmt::format("{}", *each.golden);
        }
        return fmt::format("{} {}, golden {}", each.name, mine, theirs);
    }
    return {};
}

StatisticsJudgement judge_statistics(const RecordedStatistics& target,
                                     const RecordedStatistics& golden,
                                     const Bound& bound) {
    const Numbers numbers = numbers_of(target, golden);
    const double tolerance = bound.exact ? 0 : bound.tolerance;
    std::vector<const char*> judged;
    std::vector<const char*> missing;
    std::string difference;
    double deviation = 0;
    for (const Number& each : numbers.used()) {
        (each.target && each.golden ? judged : missing).push_back(each.name);
        if (!each.target || !each.golden) continue;
        const double mine = *each.target;
        const double theirs = *each.golden;
        if (are_same(mine, theirs)) continue;
        double off = std::fabs(mine - theirs) / (each.scale == 0 ? 1 : std::fabs(each.scale));
        if (std::isnan(off)) off = std::numeric_limits<double>::infinity();
        deviation = std::max(deviation, off);
        if (!difference.empty()) continue;
        const double allowed = each.scale == 0 ? tolerance : tolerance * std::fabs(each.scale);
        if (!(std::fabs(mine - theirs) <= allowed))
            difference = fmt::format("statistics: {} {:g} and {:g} differ by more than {:g} ({})",
                                     each.name,
                                     mine,
                                     theirs,
                                     allowed,
                                     bound.source);
    }
    StatisticsJudgement result;
    result.deviation = deviation;
    const double largest = numbers.all.front().scale;
    result.scale = std::isnan(largest) ? 0 : largest;
    result.missing = static_cast<int>(missing.size());
    if (!difference.empty()) {
        result.judgement = {Verdict::kFail, difference};
    } else if (judged.empty()) {
        result.judgement = {Verdict::kUndefined,
                            "not recorded: neither elements nor statistics on both sides"};
    } else if (missing.empty()) {
        result.judgement = {Verdict::kPass,
                            "statistics: max, min, mean and norm agree (" + bound.source +
                                "); elements were not recorded"};
    } else {
        missing.push_back("elements");
        result.judgement = {Verdict::kPass,
                            fmt::format("statistics: {} agree{} ({}); {} were not recorded",
                                        listed(judged),
                                        judged.size() == 1 ? "s" : "",
                                        bound.source,
                                        listed(missing))};
    }
    return result;
}

}  // namespace npuscope::compare
