#include "compare/programs/batches.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "compare/agreement.h"

namespace npuscope::compare {

namespace {

/// So many results, and so large a part of all that hold others, tell a batch.
constexpr size_t kFewest = 8;
constexpr double kNearlyAll = 0.9;
/// Of the norm, that what is made of all of it differs by, and how many times more than parts do.
constexpr double kFelt = 0.02;
constexpr double kFartherThanBefore = 4;

/// A result that holds some of the other side's.
struct Whole {
    size_t place = 0;  ///< index into Plan::ops of the first
    bool of_target = false;
    int64_t numel = 0;
    int64_t covered = 0;  ///< elements that the other side's are

    [[nodiscard]] double share() const {
        return static_cast<double>(covered) / static_cast<double>(numel);
    }
};

std::vector<Whole> wholes_of(const Plan& plan) {
    std::map<std::pair<bool, std::string>, Whole> found;
    for (size_t place = 0; place < plan.ops.size(); ++place)
        for (const TensorTie& tie : plan.ops[place].ties) {
            const bool of_target = tie.target_view.has_value();
            const std::optional<View>& view = of_target ? tie.target_view : tie.golden_view;
            if (tie.direction != dumpfile::Direction::kOutput || tie.kind != RelationKind::kPart ||
                !view || view->source_numel == 0)
                continue;
            const auto& path = (of_target ? tie.target : tie.golden).path;
            const auto [at, is_first] = found.try_emplace(
                {of_target, path},
                Whole{.place = place, .of_target = of_target, .numel = view->source_numel});
            at->second.covered += numel_of(view->shape);
        }
    std::vector<Whole> wholes;
    for (const auto& [key, whole] : found)
        wholes.push_back(whole);
    return wholes;
}

/// The first of those that nearly all others are like; nullptr without.
const Whole* batch_in(const std::vector<Whole>& wholes) {
    if (wholes.size() < kFewest) return nullptr;
    const Whole& first = *std::ranges::min_element(wholes, {}, &Whole::place);
    const auto alike = std::ranges::count_if(wholes, [&](const Whole& each) {
        return each.of_target == first.of_target && each.share() == first.share();
    });
    const bool are_alike =
        static_cast<double>(alike) >= kNearlyAll * static_cast<double>(wholes.size());
    return are_alike && first.share() < 1 ? &first : nullptr;
}

/// Whether a result that is made of the whole batch differs, and not by rounding: by more than
/// those that hold each other do.
bool is_felt(const Result& result) {
    double of_parts = 0;
    double of_others = 0;
    for (const OpResult& op : result.ops)
        for (const TensorResult& tensor : op.tensors) {
            if (tensor.direction != dumpfile::Direction::kOutput) continue;
            double& worst =
                tensor.relation.starts_with(name_of(RelationKind::kPart)) ? of_parts : of_others;
            worst = std::max(worst, norm_of(tensor).value_or(0));
        }
    return of_others > std::max(kFelt, kFartherThanBefore * of_parts);
}

}  // namespace

void take_batches(const Plan& plan, Result& result) {
    const std::vector<Whole> wholes = wholes_of(plan);
    const Whole* first = batch_in(wholes);
    if (first == nullptr) return;
    const std::string text = fmt::format(
        "{0} of the {1}'s results hold {2:.3g} times as many elements as the {3}'s, which are "
        "part of them: the {1}'s batch is larger (or padded), so that losses and gradients of "
        "all of it are others",
        wholes.size(),
        first->of_target ? "target" : "golden",
        1 / first->share(),
        first->of_target ? "golden" : "target");
    result.notes.push_back(text);
    result.is_other_batch = true;
    // What the programs do otherwise as well is told before that.
    const bool is_of_all = result.culprits.empty()
                               ? is_felt(result)
                               : result.culprits.front().kind == CulpritKind::kProgram;
    if (!is_of_all || !result.partings.empty()) return;
    result.culprits.insert(result.culprits.begin(),
                           {.kind = CulpritKind::kProgram, .op = first->place, .why = text});
}

}  // namespace npuscope::compare
