#include "compare/origins/origins.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "compare/dataflow/find_part.h"
#include "compare/dataflow/input_roles.h"
#include "compare/dataflow/seen_through.h"
#include "compare/dataflow/traced_numbers.h"
#include "compare/dataflow/unread.h"
#include "compare/growth/side_distances.h"
#include "compare/origins/gradient_scale.h"
#include "compare/origins/inflow.h"
#include "compare/origins/like_inputs.h"
#include "compare/origins/made_before.h"
#include "compare/origins/moved_by_step.h"
#include "compare/origins/other_views.h"
#include "compare/rules/rule.h"
#include "core/base/error.h"
#include "core/naming/in_place.h"
#include "core/naming/unread.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// What no recorded op made may be so much farther off than what was computed before: some step
/// that is not recorded made it of that.
constexpr double kFarther = 4;
/// Rounding to 8 bits, as a step that is not recorded may do, is off by 2^-9; four times that.
constexpr double kNoise = 0.01;

/// A number that other ops hold by chance, 1 say: who made it is not known.
bool is_guess(const TracedTensor& tensor) {
    return tensor.ambiguous && tensor.content && tensor.content->numel == 1;
}

bool is_made(const TracedTensor& tensor) {
    return tensor.producer && !is_guess(tensor);
}

class Origins {
  public:
    Origins(PairedFlows& flows, Result& result)
        : flows_(flows), result_(result), inflows_(flows, result), through_(flows) {}

    void run(int threads) {
        if (!inflows_.by_target()) return;
        take_told();
        std::vector<Suspect> suspects;
        MadeBefore before(flows_, inflows_);
        for (size_t pair = 0; pair < result_.ops.size(); ++pair) {
            const OpResult& op = result_.ops[pair];
            if (op.in_span) continue;
            // What comes behind an op that one side has more is a matter of the programs.
            if (!op.is_pair()) break;
            look_at(pair, before, suspects);
            before.take(pair, result_.ops[pair]);
        }
        if (suspects.empty()) return;
        std::vector<size_t> inputs;
        inputs.reserve(suspects.size());
        for (const Suspect& suspect : suspects)
            inputs.push_back(through_.before_casts(flows_.target(), suspect.tensor));
        find_parts(flows_.target().source, flows_.target().flow, inputs, threads);
        for (const Suspect& suspect : suspects)
            accuse(suspect);
    }

  private:
    struct Suspect {
        size_t pair = 0;
        size_t tensor = 0;   ///< of the target's flow
        double before = 0;   ///< the largest distance of what was computed before and it may be of
        int64_t values = 0;  ///< with so many or fewer it may be rounding alone, expanded
    };

    void take_told();
    void look_at(size_t pair, const MadeBefore& before, std::vector<Suspect>& suspects);
    [[nodiscard]] bool is_told(size_t tensor) const;
    /// Of the target.
    [[nodiscard]] const TracedTensor& before_casts(size_t tensor) const {
        return flows_.target().tensor(through_.before_casts(flows_.target(), tensor));
    }
    [[nodiscard]] bool is_number_on_itself(const OpResult& op,
                                           const std::vector<Inflow>& inflows) const;
    [[nodiscard]] int64_t values_of(size_t tensor) const;
    void accuse(const Suspect& suspect);

    PairedFlows& flows_;
    Result& result_;
    Inflows inflows_;
    SeenThrough through_;
    std::optional<LikeInputs> like_{};  ///< few comparisons ask
    std::set<std::string> told_paths_;
    std::set<size_t> told_givens_;
};

void Origins::take_told() {
    for (const Culprit& culprit : result_.culprits)
        if (!culprit.tensor.empty()) told_paths_.insert(culprit.tensor);
    for (const TracedTensor& tensor : flows_.target().flow.tensors)
        if (tensor.given && told_paths_.contains(tensor.path)) told_givens_.insert(*tensor.given);
}

bool Origins::is_told(size_t tensor) const {
    const TracedTensor& given = before_casts(tensor);
    return told_paths_.contains(flows_.target().tensor(tensor).path) ||
           told_paths_.contains(given.path) || (given.given && told_givens_.contains(*given.given));
}

/// Whether the op calculates with its one tensor and a number, in place: though nobody can judge it
/// where its input was recorded when it had run, it makes no such error of the golden's tensor.
bool Origins::is_number_on_itself(const OpResult& op, const std::vector<Inflow>& inflows) const {
    return inflows.size() == 1 && calculates_in_place(op.id.op) &&
           is_written_over(flows_.target(), flows_.target().tensor(inflows[0].tensor));
}

void Origins::look_at(size_t pair, const MadeBefore& before, std::vector<Suspect>& suspects) {
    OpResult& op = result_.ops[pair];
    const Verdict verdict = op.judgement.verdict;
    if ((verdict != Verdict::kInherited && verdict != Verdict::kNotProvable) || !op.is_pair())
        return;
    const std::vector<Inflow> inflows = inflows_.of(pair);
    if (verdict == Verdict::kNotProvable && !is_number_on_itself(op, inflows)) return;
    const std::string& name = flows_.plan().ops[pair].target->id.op;
    for (const Inflow& inflow : inflows) {
        if (inflow.compared == nullptr || inflow.compared->judgement.verdict != Verdict::kInherited)
            continue;
        const TracedTensor& traced = flows_.target().tensor(inflow.tensor);
        if (inflow.maker) {
            const OpResult& maker = result_.ops[*inflow.maker];
            if (op.origin.empty() && maker.judgement.verdict == Verdict::kNotProvable)
                op.origin = maker.target + " made its input " + traced.argument +
                            ", and nobody can judge that op";
            if (!is_guess(traced)) continue;
        }
        if (is_made(before_casts(inflow.tensor)) || !traced.content || is_told(inflow.tensor))
            continue;
        // Which of these are the golden's is told where givens are compared.
        if (is_unread(name, traced.argument) || traced.argument.starts_with("running_")) continue;
        if (!is_floating(*inflow.compared)) continue;
        const int64_t numel = inflow.compared->sums.numel;
        const double distance = distance_of(*inflow.compared).norm;
        const double reaching = before.reaching(numel);
        if (distance <= result_.most_drifted && is_parameter(name, traced.argument)) continue;
        if (has_loss_scale(result_, *inflow.compared)) continue;
        if (!(distance > std::max(kNoise, kFarther * reaching))) continue;
        if (!like_) like_.emplace(result_);
        if (!like_->is_rounding_alone(op, *inflow.compared) ||
            is_written_over(flows_.target(), traced))
            suspects.push_back(
                {pair, inflow.tensor, reaching, before.expanded_from(numel, distance)});
    }
}

/// How many different numbers it holds; none where it cannot be read.
int64_t Origins::values_of(size_t tensor) const try {
    const Tensor elements = traced_numbers(flows_.target(), tensor);
    const auto values = elements.as<double>();
    return static_cast<int64_t>(std::set<double>(values.begin(), values.end()).size());
} catch (const Error&) {
    return 0;
}

void Origins::accuse(const Suspect& suspect) {
    const TracedTensor& traced = flows_.target().tensor(suspect.tensor);
    if (is_made(before_casts(suspect.tensor)) || is_told(suspect.tensor)) return;
    if (suspect.values > 0 && values_of(suspect.tensor) <= suspect.values) return;
    const auto input_pair = std::ranges::find(flows_.inputs(), suspect.tensor, &InputPair::target);
    if (input_pair != flows_.inputs().end() &&
        (is_written_before_read(flows_, *input_pair) || may_be_moved_by_step(flows_, *input_pair)))
        return;
    told_paths_.insert(traced.path);
    if (const auto& given = before_casts(suspect.tensor).given) told_givens_.insert(*given);
    OpResult& op = result_.ops[suspect.pair];
    const auto input = std::ranges::find_if(op.tensors, [&](const TensorResult& tensor) {
        return tensor.direction == Direction::kInput && tensor.target == traced.path;
    });
    const Split nobody;
    input->judgement = judge({.sums = input->sums,
                              .bound = input->judgement.bound,
                              .dtype = dtype_from_name(input->dtype).value_or(DType::kFloat32),
                              .split = &nobody,
                              .is_input = true,
                              .from_nothing = suspect.before});
    conclude(op);
    op.judgement = op.inputs;
    op.from_nothing = true;
    const std::string& name = flows_.plan().ops[suspect.pair].target->id.op;
    result_.culprits.push_back(
        {.kind = CulpritKind::kTensor,
         .op = suspect.pair,
         .tensor = traced.path,
         .why = noun_of_input(name, traced.argument) + " `" + traced.argument + "` of " +
                op.target + flows_.place_of(suspect.pair) + " is " + input->judgement.rule});
}

}  // namespace

void judge_origins(PairedFlows& flows, int threads, Result& result) {
    const auto is_measured = [](const OpResult& op) {
        return std::ranges::any_of(
            op.tensors, [](const TensorResult& tensor) { return !tensor.metrics.empty(); });
    };
    // Statistics tell of no distances.
    if (std::ranges::none_of(result.ops, is_measured)) return;
    if (result.load_mode) return;
    Origins(flows, result).run(threads);
    accuse_other_views(flows, threads, result);
}

}  // namespace npuscope::compare
