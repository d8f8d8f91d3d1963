#include "compare/dataflow/drift.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/naming/backward.h"
#include "core/naming/in_place.h"

namespace npuscope::compare {

namespace {

/// So many are off, by so much of their norm at most, and none by so many times as much as the
/// others, but by so much all the same.
constexpr size_t kFewestDrifted = 3;
constexpr double kMostDrifted = 0.25;
constexpr double kDriftApart = 16;
constexpr double kLittleDrift = 0.01;

}  // namespace

bool trains(const Side& side) {
    return std::ranges::any_of(side.source.ops, [](const SourceOp& op) {
        return is_backward(op.id.op) || calculates_in_place(op.op());
    });
}

bool may_drift(const Relation& relation) {
    return (relation.likeness == Likeness::kEdited || relation.likeness == Likeness::kOther ||
            relation.likeness == Likeness::kLeaning) &&
           relation.distance <= kMostDrifted;
}

bool Drift::takes_in(const Relation& relation) const {
    return may_drift(relation) && relation.distance <= most;
}

Drift drift_of(const ParameterCounts& parameters, std::vector<double> distances) {
    const size_t off = distances.size() + parameters.rounded;
    if (distances.size() < kFewestDrifted || 2 * off < parameters.all) return {};
    if (!parameters.are_trained)
        return {.remark =
                    fmt::format("{} of {} parameters are not the golden's, and neither program "
                                "trains: did both read the same checkpoint?",
                                off,
                                parameters.all)};
    const auto middle = distances.begin() + std::ssize(distances) / 2;
    std::ranges::nth_element(distances, middle);
    const double most = std::min(kMostDrifted, std::max(kLittleDrift, kDriftApart * *middle));
    return {.most = most,
            .remark = fmt::format("{} of {} parameters are off by up to {:.2g} of their norm, as "
                                  "steps of training before leave them, which is no finding: each "
                                  "op was judged on what it was given",
                                  off,
                                  parameters.all,
                                  std::min(most, std::ranges::max(distances)))};
}

}  // namespace npuscope::compare
