#include "compare/origins.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "compare/dataflow/find_part.h"
#include "compare/dataflow/givens.h"
#include "compare/growth/side_distances.h"
#include "compare/inflow.h"
#include "compare/rules/rule.h"
#include "core/naming/overwritten.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
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
        : flows_(flows), result_(result), inflows_(flows, result) {}

    void run(int threads) {
        if (!inflows_.by_target()) return;
        take_told();
        std::vector<Suspect> suspects;
        double before = 0;
        for (size_t pair = 0; pair < result_.ops.size(); ++pair) {
            look_at(pair, before, suspects);
            for (const TensorResult& tensor : result_.ops[pair].tensors)
                if (tensor.direction == Direction::kOutput && is_floating(tensor)) {
                    const double distance =
                        tensor.metrics.empty() ? double{kInfinity} : distance_of(tensor).norm;
                    before = std::max(before, distance);
                }
        }
        if (suspects.empty()) return;
        std::vector<size_t> inputs;
        inputs.reserve(suspects.size());
        for (const Suspect& suspect : suspects)
            inputs.push_back(suspect.tensor);
        find_parts(flows_.target().source, flows_.target().flow, inputs, threads);
        for (const Suspect& suspect : suspects)
            accuse(suspect);
    }

  private:
    struct Suspect {
        size_t pair = 0;
        size_t tensor = 0;  ///< of the target's flow
        double before = 0;  ///< the largest distance of what was computed before
    };

    void take_told();
    void look_at(size_t pair, double before, std::vector<Suspect>& suspects);
    [[nodiscard]] bool is_told(size_t tensor) const;
    void accuse(const Suspect& suspect);

    PairedFlows& flows_;
    Result& result_;
    Inflows inflows_;
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
    const TracedTensor& traced = flows_.target().tensor(tensor);
    return told_paths_.contains(traced.path) ||
           (traced.given && told_givens_.contains(*traced.given));
}

void Origins::look_at(size_t pair, double before, std::vector<Suspect>& suspects) {
    OpResult& op = result_.ops[pair];
    if (op.judgement.verdict != Verdict::kInherited || op.target.empty() || op.golden.empty())
        return;
    const std::string& name = flows_.plan().ops[pair].target->id.op;
    for (const Inflow& inflow : inflows_.of(pair)) {
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
        if (is_made(traced) || !traced.content || is_told(inflow.tensor)) continue;
        // Which of these are the golden's is told where givens are compared.
        if (is_overwritten(name, traced.argument) || traced.argument.starts_with("running_"))
            continue;
        if (!is_floating(*inflow.compared)) continue;
        if (distance_of(*inflow.compared).norm > std::max(kNoise, kFarther * before))
            suspects.push_back({pair, inflow.tensor, before});
    }
}

void Origins::accuse(const Suspect& suspect) {
    const TracedTensor& traced = flows_.target().tensor(suspect.tensor);
    if (is_made(traced) || is_told(suspect.tensor)) return;
    told_paths_.insert(traced.path);
    if (traced.given) told_givens_.insert(*traced.given);
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
    const auto is_one_sided = [](const OpResult& op) {
        return op.target.empty() || op.golden.empty();
    };
    const auto is_measured = [](const OpResult& op) {
        return std::ranges::any_of(
            op.tensors, [](const TensorResult& tensor) { return !tensor.metrics.empty(); });
    };
    // Statistics tell of no distances.
    if (std::ranges::none_of(result.ops, is_measured)) return;
    // What ops that one side has more made is a matter of the programs.
    if (result.load_mode || std::ranges::any_of(result.ops, is_one_sided)) return;
    Origins(flows, result).run(threads);
}

}  // namespace npuscope::compare
