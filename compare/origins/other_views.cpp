#include "compare/origins/other_views.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "compare/agreement.h"
#include "compare/dataflow/find_part.h"
#include "compare/dataflow/input_roles.h"
#include "core/naming/casts.h"
#include "core/naming/unread.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// Of the norm: an input that is off by less may be rounded by a step that is not recorded.
constexpr double kViewNoise = 0.01;
/// By how much farther off it is than what it shows.
constexpr double kFartherThanMade = 4;

/// Ops of other kinds take in the same in other shapes.
bool are_alike(const OpPair& pair) {
    return pair.also_target.empty() && pair.also_golden.empty() &&
           pair.target->op() == pair.golden->op();
}

class OtherViews {
  public:
    OtherViews(const PairedFlows& flows, int threads, Result& result)
        : flows_(flows), threads_(threads), result_(result), places_(places_of(flows.plan())) {
        for (const InputPair& input : flows.inputs())
            inputs_[input.pair].push_back(&input);
    }

    void run() {
        look_for_parts();
        for (size_t pair = 0; pair < result_.ops.size(); ++pair) {
            const OpResult& op = result_.ops[pair];
            if (op.in_span) continue;
            // What comes behind an op that one side has more is a matter of the programs.
            if (!op.is_pair()) return;
            if (op.judgement.verdict == Verdict::kInherited && op.arguments.empty() &&
                !is_cast(op.id.op) && are_alike(flows_.plan().ops[pair]) && !is_told(pair))
                look_at(pair);
        }
    }

  private:
    [[nodiscard]] const TracedTensor& target(const InputPair& input) const {
        return flows_.target().tensor(input.target);
    }
    [[nodiscard]] const TracedTensor& golden(const InputPair& input) const {
        return flows_.golden().tensor(input.golden);
    }

    /// Of ops that nobody made the difference of, at once: each search passes over all results.
    void look_for_parts() {
        std::vector<size_t> mine;
        std::vector<size_t> theirs;
        for (const InputPair& input : flows_.inputs()) {
            if (result_.ops[input.pair].judgement.verdict != Verdict::kInherited ||
                same_content(*target(input).content, *golden(input).content))
                continue;
            if (!target(input).producer) mine.push_back(input.target);
            if (!golden(input).producer) theirs.push_back(input.golden);
        }
        find_parts(flows_.target().source, flows_.target().flow, mine, threads_);
        find_parts(flows_.golden().source, flows_.golden().flow, theirs, threads_);
    }

    [[nodiscard]] bool is_told(size_t pair) const {
        return std::ranges::any_of(result_.culprits,
                                   [&](const Culprit& culprit) { return culprit.op == pair; });
    }

    [[nodiscard]] const TensorResult* result_of(size_t pair, const std::string& path) const {
        const auto& tensors = result_.ops[pair].tensors;
        const auto found = std::ranges::find(tensors, path, &TensorResult::target);
        return found == tensors.end() || found->metrics.empty() ? nullptr : &*found;
    }

    void look_at(size_t pair) {
        const InputPair* viewed = nullptr;
        const InputPair* reshaped = nullptr;
        double off = 0;
        for (const InputPair* input : inputs_[pair]) {
            if (is_unread(flows_.plan().ops[pair].target->id.op, target(*input).argument)) continue;
            const TensorResult* compared = result_of(pair, target(*input).path);
            if (compared == nullptr) return;
            const double distance = norm_of(*compared).value_or(0);
            if (same_content(*target(*input).content, *golden(*input).content)) {
                if (reshaped == nullptr && target(*input).shape != golden(*input).shape)
                    reshaped = input;
            } else if (distance > 0) {
                // What came in is off: the error was made before, but for a view.
                if (!shows_other_part(*input, distance)) return;
                if (viewed == nullptr) {
                    viewed = input;
                    off = distance;
                }
            }
        }
        if (viewed != nullptr)
            accuse(*viewed,
                   fmt::format("shows something else of what {} made than the golden's: off by "
                               "{:.2g} of its norm, where that is not",
                               flows_.target().tensor(*target(*viewed).producer).path,
                               off));
        else if (reshaped != nullptr)
            accuse(*reshaped,
                   fmt::format("is {}, the golden's {}: the same elements, of which the op makes "
                               "something else",
                               to_string(target(*reshaped).shape),
                               to_string(golden(*reshaped).shape)));
    }

    /// Made by one pair of ops, whose result is much nearer to the golden's.
    [[nodiscard]] bool shows_other_part(const InputPair& input, double distance) const {
        const TracedTensor& mine = target(input);
        const TracedTensor& theirs = golden(input);
        if (!mine.producer || !theirs.producer || mine.ambiguous || theirs.ambiguous) return false;
        const TracedTensor& made = flows_.target().tensor(*mine.producer);
        const TracedTensor& made_there = flows_.golden().tensor(*theirs.producer);
        const auto maker = places_.find(&flows_.target().source.ops[made.op]);
        const auto maker_there = places_.find(&flows_.golden().source.ops[made_there.op]);
        if (maker == places_.end() || maker_there == places_.end() ||
            maker->second != maker_there->second || made.argument != made_there.argument)
            return false;
        const TensorResult* result = result_of(maker->second, made.path);
        const auto before = result != nullptr ? norm_of(*result) : std::nullopt;
        return before && distance > std::max(kViewNoise, kFartherThanMade * *before);
    }

    void accuse(const InputPair& input, const std::string& what) {
        const std::string& name = flows_.plan().ops[input.pair].target->id.op;
        OpResult& op = result_.ops[input.pair];
        op.from_nothing = true;
        result_.culprits.push_back({.kind = CulpritKind::kTensor,
                                    .op = input.pair,
                                    .tensor = target(input).path,
                                    .why = fmt::format("{} `{}` of {}{} {}",
                                                       noun_of_input(name, target(input).argument),
                                                       target(input).argument,
                                                       op.target,
                                                       flows_.place_of(input.pair),
                                                       what)});
    }

    const PairedFlows& flows_;
    int threads_;
    Result& result_;
    std::unordered_map<const SourceOp*, size_t> places_;
    std::unordered_map<size_t, std::vector<const InputPair*>> inputs_{};
};

}  // namespace

void accuse_other_views(const PairedFlows& flows, int threads, Result& result) {
    if (flows.plan().is_related || flows.plan().load_mode ||
        !flows.target().source.may_have_inputs() || !flows.golden().source.may_have_inputs())
        return;
    OtherViews(flows, threads, result).run();
}

}  // namespace npuscope::compare
