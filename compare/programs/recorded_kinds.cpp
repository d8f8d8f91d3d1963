#include "compare/programs/recorded_kinds.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compare/programs/mark_span.h"
#include "core/naming/aliases.h"

namespace npuscope::compare {

namespace {

/// A program that lacks a step, a norm or a loss, lacks fewer kinds than that, and less of its ops.
constexpr size_t kFewestUnrecorded = 8;
constexpr size_t kOneIn = 3;
/// So many of the kinds that were recorded are told.
constexpr size_t kToldKinds = 6;

using Kinds = std::set<std::string, std::less<>>;

/// The kinds of a side's ops, and of those of them that the other side does not have.
struct KindsOfSide {
    Kinds paired{};
    Kinds alone{};
    size_t ops = 0;
    size_t ops_alone = 0;
};

KindsOfSide kinds_of(const Plan& plan,
                     const SourceOp* OpPair::*own,
                     const SourceOp* OpPair::*other) {
    KindsOfSide kinds;
    for (const OpPair& pair : plan.ops) {
        if (pair.*own == nullptr) continue;
        ++kinds.ops;
        if (pair.*other == nullptr) ++kinds.ops_alone;
        (pair.*other == nullptr ? kinds.alone : kinds.paired)
            .emplace(canonical_name((pair.*own)->id.op));
    }
    return kinds;
}

bool have_none_in_common(const Kinds& one, const Kinds& other) {
    return std::ranges::none_of(one, [&](const std::string& kind) { return other.contains(kind); });
}

}  // namespace

void forget_unrecorded_kinds(Plan& plan, Result& result) {
    if (plan.partings.empty() || plan.load_mode) return;
    const KindsOfSide target = kinds_of(plan, &OpPair::target, &OpPair::golden);
    const KindsOfSide golden = kinds_of(plan, &OpPair::golden, &OpPair::target);
    const bool of_target = golden.ops_alone > 0;
    const KindsOfSide& few = of_target ? target : golden;
    const KindsOfSide& many = of_target ? golden : target;
    if (few.ops_alone > 0 || many.alone.size() < kFewestUnrecorded ||
        many.alone.size() < few.paired.size() || many.ops_alone * kOneIn < many.ops ||
        !have_none_in_common(many.alone, few.paired))
        return;
    const auto places = places_of(plan);
    for (const Parting& parting : plan.partings)
        mark_span(parting, 0, std::nullopt, places, result);
    plan.partings.clear();
    std::vector<std::string> told(few.paired.begin(), few.paired.end());
    const bool all = told.size() <= kToldKinds;
    if (!all) told.resize(kToldKinds);
    result.notes.push_back(fmt::format(
        "the {} holds ops of {} alone ({}{}): what the {} has of {} others was "
        "not recorded there, and is not compared",
        of_target ? "target" : "golden",
        few.paired.size() == 1 ? "one kind" : fmt::format("{} kinds", few.paired.size()),
        fmt::join(told, ", "),
        all ? "" : ", …",
        of_target ? "golden" : "target",
        many.alone.size()));
}

}  // namespace npuscope::compare
