#include "compare/pair_runs.h"

#include <algorithm>
#include <functional>
#include <map>

#include "core/base/error.h"
#include "core/base/printable.h"

namespace npuscope::compare {

namespace {

using Runs = std::vector<RecordedRun>;
using Step = std::optional<int64_t>;

/// By equal key; a lone one with a lone one; as many others in their order where `in_order` says
/// so. -1: no partner.
template <class Key>
std::vector<std::ptrdiff_t> partners(const std::vector<Key>& target,
                                     const std::vector<Key>& golden,
                                     const std::function<bool(const Key&)>& in_order) {
    std::vector<std::ptrdiff_t> found(target.size(), -1);
    std::vector<bool> taken(golden.size());
    for (size_t i = 0; i < target.size(); ++i)
        for (size_t k = 0; k < golden.size() && found[i] < 0; ++k)
            if (!taken[k] && target[i] == golden[k]) {
                found[i] = static_cast<std::ptrdiff_t>(k);
                taken[k] = true;
            }
    std::vector<size_t> left;
    std::vector<size_t> right;
    const bool lone = target.size() == 1 && golden.size() == 1;
    for (size_t i = 0; i < target.size(); ++i)
        if (found[i] < 0 && (lone || in_order(target[i]))) left.push_back(i);
    for (size_t k = 0; k < golden.size(); ++k)
        if (!taken[k] && (lone || in_order(golden[k]))) right.push_back(k);
    if (left.size() == right.size())
        for (size_t i = 0; i < left.size(); ++i)
            found[left[i]] = static_cast<std::ptrdiff_t>(right[i]);
    return found;
}

std::map<Step, Runs> by_step(const Runs& runs) {
    std::map<Step, Runs> steps;
    for (const RecordedRun& run : runs)
        steps[run.step].push_back(run);
    return steps;
}

void pair_ranks(const Runs& target, const Runs& golden, std::vector<RunPair>& pairs) {
    const auto names = [](const Runs& runs) {
        std::vector<std::string> ranks;
        for (const RecordedRun& run : runs)
            ranks.push_back(run.rank);
        return ranks;
    };
    const auto found = partners<std::string>(
        names(target), names(golden), [](const auto& rank) { return rank.starts_with("proc"); });
    std::vector<bool> taken(golden.size());
    for (size_t i = 0; i < target.size(); ++i) {
        pairs.push_back({.target = target[i]});
        if (found[i] < 0) continue;
        pairs.back().golden = golden[static_cast<size_t>(found[i])];
        taken[static_cast<size_t>(found[i])] = true;
    }
    for (size_t k = 0; k < golden.size(); ++k)
        if (!taken[k]) pairs.push_back({.golden = golden[k]});
}

bool is_file_alone(const Runs& runs) {
    return runs.size() == 1 && !runs[0].step && runs[0].rank.empty();
}

void require_like(const Runs& one, const Runs& several) {
    if (!is_file_alone(one) || several.size() == 1) return;
    throw Error(ErrorKind::kUsage,
                in_quotes(one[0].path) + " is one run and the other side holds " +
                    std::to_string(several.size()) + "; name one of them, " +
                    in_quotes(several[0].path) + " for example");
}

}  // namespace

std::string RunPair::text() const {
    if (!target) return golden->text();
    if (!golden || golden->text() == target->text()) return target->text();
    return target->text() + " against " + golden->text();
}

std::vector<RunPair> pair_runs(const Runs& target, const Runs& golden) {
    require_like(target, golden);
    require_like(golden, target);
    const std::map<Step, Runs> mine = by_step(target);
    const std::map<Step, Runs> theirs = by_step(golden);
    const auto numbers = [](const std::map<Step, Runs>& steps) {
        std::vector<Step> keys;
        keys.reserve(steps.size());
        for (const auto& [step, runs] : steps)
            keys.push_back(step);
        return keys;
    };
    const std::vector<Step> own = numbers(mine);
    const std::vector<Step> other = numbers(theirs);
    const bool apart = std::ranges::none_of(
        own, [&](const Step& step) { return std::ranges::find(other, step) != other.end(); });
    const auto found = partners<Step>(own, other, [&](const Step&) { return apart; });
    std::vector<RunPair> pairs;
    std::vector<bool> taken(other.size());
    for (size_t i = 0; i < own.size(); ++i) {
        if (found[i] >= 0) taken[static_cast<size_t>(found[i])] = true;
        pair_ranks(mine.at(own[i]),
                   found[i] < 0 ? Runs{} : theirs.at(other[static_cast<size_t>(found[i])]),
                   pairs);
    }
    for (size_t k = 0; k < other.size(); ++k)
        if (!taken[k]) pair_ranks({}, theirs.at(other[k]), pairs);
    return pairs;
}

}  // namespace npuscope::compare
