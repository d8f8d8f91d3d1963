#include "diagnose/judge/golden_replay.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compare/dataflow/rebuild.h"
#include "compare/dataflow/seen_through.h"
#include "compare/random_ops.h"
#include "core/base/error.h"
#include "core/naming/unread.h"
#include "diagnose/judge/exact_run.h"
#include "diagnose/judge/hidden_terms.h"
#include "diagnose/judge/number_format.h"
#include "diagnose/judge/op_run.h"
#include "diagnose/judge/replay_distance.h"
#include "diagnose/judge/replay_ends.h"
#include "diagnose/judge/replay_numbers.h"
#include "diagnose/judge/replay_partners.h"
#include "diagnose/judge/replay_units.h"
#include "diagnose/judge/replayed.h"

namespace npuscope::diagnose {

namespace {

using compare::Dataflow;
using compare::PairedFlows;
using compare::TracedTensor;
using dumpfile::Direction;

/// Of inputs: farther off, nobody can say what an op makes of them that cannot be computed.
constexpr double kNearInputs = 0.01;
/// By how much such an op may make errors larger.
constexpr double kGain = 8;
/// Of the norm: what kernels that nobody can compute may differ by.
constexpr double kOfUnknown = 0.25;
/// Of what nobody made: farther off, it is another tensor.
constexpr double kAlike = 0.1;

class GoldenReplay {
  public:
    GoldenReplay(PairedFlows& flows, const ReplayKnown& known, int threads)
        : flows_(flows),
          golden_(flows.golden()),
          known_(known),
          views_(flows, threads),
          partners_(flows) {
        for (const compare::InputPair& inputs : flows.inputs())
            targets_of_inputs_.emplace(inputs.golden, inputs.target);
        for (const TracedTensor& tensor : golden_.flow.tensors)
            if (tensor.direction == Direction::kInput && tensor.producer && !is_unread(tensor)) {
                last_use_[*tensor.producer] = tensor.op;
                results_.used.insert(*tensor.producer);
            }
        use_twins(golden_, results_);
    }

    compare::Replay run() {
        for (size_t op = 0; op < golden_.source.ops.size(); ++op) {
            try {
                replay(op);
            } catch (const Error&) {
                // What cannot be read is not known.
            }
            forget_unused(op);
        }
        compare::Replay replay = replay_of(flows_, results_);
        replay.is_fine = known_.unit_of(true, std::nullopt) <= kFloat32.unit();
        return replay;
    }

  private:
    [[nodiscard]] std::optional<Replayed> input(size_t index);
    /// An op looks at its shape and dtype alone.
    [[nodiscard]] bool is_unread(const TracedTensor& input) const {
        return npuscope::is_unread(golden_.source.ops[input.op].id.op, input.argument);
    }
    /// The result that made the input: of several with the same elements, the one whose partner
    /// made the target's, which may be rounded in the others.
    [[nodiscard]] size_t maker_of(size_t input) const;
    /// The golden's of what made the input.
    [[nodiscard]] std::optional<compare::View> view_of(size_t input);
    /// Of a result that agrees, or that nobody can compute, the target's; else what was computed.
    [[nodiscard]] std::optional<Replayed> made(size_t index) const;
    void replay(size_t op);
    /// What the op takes in; empty where some of it is not known.
    [[nodiscard]] std::optional<ReplayInputs> inputs_of(size_t op, double unit);
    [[nodiscard]] std::optional<ReplayedBoth> computed(const SourceOp& source,
                                                       const ReplayInputs& inputs) const;
    /// Whether its partner is a run of the same op.
    [[nodiscard]] bool is_same_op(const SourceOp& source) const;
    /// Of an op that nobody can compute: as recorded, off by more the more its inputs are off.
    [[nodiscard]] Replayed recorded(size_t index, double inputs_off);
    void judge(size_t index, Replayed found, const ReplayRounding& rounding);
    void forget_unused(size_t op);
    [[nodiscard]] bool is_number(size_t index) const {
        return is_float(dtype_from_name(golden_.tensor(index).dtype).value_or(DType::kFloat32));
    }

    /// Masks and the like that several ops made on both sides: which one tells nothing. Of ops that
    /// the target alone has it does.
    [[nodiscard]] bool is_choice(size_t input, size_t target) const {
        const auto& maker = flows_.target().tensor(target).producer;
        return !is_number(input) && golden_.tensor(input).ambiguous && maker &&
               flows_.is_paired(flows_.target().tensor(*maker).op);
    }

    PairedFlows& flows_;
    const compare::Side& golden_;
    const ReplayKnown& known_;
    compare::InputRebuilder views_;
    ReplayPartners partners_;
    std::mt19937_64 random_{0};
    std::unordered_map<size_t, size_t> targets_of_inputs_{};  ///< by the golden's
    std::unordered_map<size_t, size_t> last_use_{};           ///< the op, by result
    std::unordered_map<size_t, Replayed> open_{};             ///< results that do not agree
    ReplayedResults results_{};
    ReplayUnits units_{flows_, known_, partners_, results_.agreeing};
};

std::optional<Replayed> GoldenReplay::made(size_t index) const {
    if (const auto open = open_.find(index); open != open_.end()) return open->second;
    if (!results_.agrees(index) && !results_.unknown.contains(index)) return std::nullopt;
    auto found = partners_.elements(index);
    if (!found) return std::nullopt;
    // Whole numbers begin again where their dtype ends.
    if (const auto dtype = dtype_from_name(golden_.tensor(index).dtype); dtype && !is_float(*dtype))
        found = found->cast(*dtype);
    const SourceOp& maker = golden_.source.ops[golden_.tensor(index).op];
    return Replayed{
        *found, *found, !results_.unknown.contains(index) || compare::may_be_random(maker)};
}

size_t GoldenReplay::maker_of(size_t input) const {
    const size_t producer = *golden_.tensor(input).producer;
    const auto theirs = targets_of_inputs_.find(input);
    if (theirs == targets_of_inputs_.end()) return producer;
    const auto& made = flows_.target().tensor(theirs->second).producer;
    for (const size_t copy : flows_.copies_of(producer))
        if (made && copy <= producer && flows_.partner_of(copy) == made && results_.agrees(copy) &&
            compare::same_content(*golden_.tensor(copy).content, *golden_.tensor(producer).content))
            return copy;
    return producer;
}

std::optional<compare::View> GoldenReplay::view_of(size_t input) {
    if (auto view = views_.view_of(input)) return view;
    // Where elements come several times, they do not tell it; any that fits will do.
    const TracedTensor& tensor = golden_.tensor(input);
    const Tensor shown = wide_tensor(golden_, input);
    const Tensor made = wide_tensor(golden_, *tensor.producer);
    if (auto view = arrangement_within(made, shown, 0)) return view;
    return slice_equal_to(made, shown);
}

std::optional<Replayed> GoldenReplay::input(size_t index) {
    const TracedTensor& tensor = golden_.tensor(index);
    bool is_made = tensor.producer && !tensor.ambiguous && !is_unread(tensor);
    bool is_rewritten = false;
    // A parameter that is updated is not what a cast of it is on the other side.
    if (is_made && !compare::shows_given(golden_, tensor)) {
        const auto from = made(maker_of(index));
        if (!from) return std::nullopt;
        if (auto view = view_of(index); view && view->source_numel == from->plain.numel()) {
            view->cast.reset();
            return Replayed{compare::apply(*view, from->plain).reshaped(tensor.shape),
                            compare::apply(*view, from->disturbed).reshaped(tensor.shape),
                            from->is_proven};
        }
        // A part of it was written over since.
        is_made = false;
        is_rewritten = true;
    }
    // Nobody made it, or an op that was not recorded: then the target's is what goes on.
    Tensor own = wide_tensor(golden_, index);
    const auto target = targets_of_inputs_.find(index);
    if (is_rewritten && target == targets_of_inputs_.end()) return std::nullopt;
    if (!is_made && target != targets_of_inputs_.end()) {
        const Tensor theirs = wide_tensor(flows_.target(), target->second);
        if (is_rewritten && theirs.shape() != own.shape()) return std::nullopt;
        if (theirs.shape() == own.shape() &&
            (is_choice(index, target->second) || distance(theirs, own).relative() <= kAlike))
            own = theirs.cast(own.dtype());
    }
    return Replayed{own, own};
}

std::optional<ReplayInputs> GoldenReplay::inputs_of(size_t op, double unit) {
    ReplayInputs inputs;
    const Dataflow& flow = golden_.flow;
    const double lost = multiplies(golden_.source.ops[op]) ? known_.lost_of_operands : 0;
    for (size_t i = flow.first[op]; i < flow.first[op + 1]; ++i) {
        const TracedTensor& tensor = flow.tensors[i];
        if (tensor.direction != Direction::kInput || !tensor.content) continue;
        auto found = input(i);
        if (!found) return std::nullopt;
        inputs.off =
            std::max(inputs.off, distance(found->plain, wide_tensor(golden_, i)).relative());
        inputs.are_proven = inputs.are_proven && found->is_proven;
        inputs.plain.push_back({.argument = tensor.argument, .golden = tensor.path});
        inputs.disturbed.push_back(inputs.plain.back());
        inputs.plain.back().tensor = std::move(found->plain);
        inputs.disturbed.back().tensor = disturbed(found->disturbed, unit, random_, lost);
    }
    return inputs;
}

bool GoldenReplay::is_same_op(const SourceOp& source) const {
    const Dataflow& flow = golden_.flow;
    const auto op = static_cast<size_t>(&source - golden_.source.ops.data());
    for (size_t i = flow.first[op]; i < flow.first[op + 1]; ++i)
        if (const auto* partner = partners_.of(i))
            return row_of(*flows_.plan().ops[partner->pair].target) == row_of(source);
    return false;
}

std::optional<ReplayedBoth> GoldenReplay::computed(const SourceOp& source,
                                                   const ReplayInputs& inputs) const {
    std::string why_not;
    const auto run_on =
        [&](const std::vector<compare::RebuiltInput>& taken_in) -> std::optional<OpRun> {
        auto loaded = load_run(source, why_not, {&source, [&] { return taken_in; }});
        if (!loaded) return std::nullopt;
        return known_.form_of(std::move(*loaded), is_same_op(source));
    };
    const auto results_of = [&](const OpRun& run) {
        return diagnose::run(*run.op, run.wide, Device::reference64(), &why_not);
    };
    auto on_plain = run_on(inputs.plain);
    auto plain = on_plain ? results_of(*on_plain) : std::nullopt;
    const auto on_disturbed = plain ? run_on(inputs.disturbed) : std::nullopt;
    auto disturbed = on_disturbed ? results_of(*on_disturbed) : std::nullopt;
    if (!disturbed) return std::nullopt;
    ReplayedBoth both{{}, std::move(*plain), std::move(*disturbed)};
    for (const RecordedResult& each : on_plain->results)
        both.hidden[each.path] = norm_of(hidden_terms(*on_plain, each));
    both.recorded = std::move(on_plain->results);
    return both;
}

Replayed GoldenReplay::recorded(size_t index, double inputs_off) {
    const Tensor own = wide_tensor(golden_, index);
    return {own, disturbed(own, kGain * inputs_off, random_)};
}

void GoldenReplay::replay(size_t op) {
    const Dataflow& flow = golden_.flow;
    const SourceOp& source = golden_.source.ops[op];
    const double unit = units_.of_op(op);
    const auto inputs = inputs_of(op, unit);
    const auto found = inputs ? computed(source, *inputs) : std::nullopt;
    const bool is_told = flow.of_op(op).size() > 1 && !compare::may_be_random(source);
    bool is_any_computed = !is_told;
    bool is_any_missing = false;
    for (size_t i = flow.first[op]; i < flow.first[op + 1]; ++i) {
        const TracedTensor& tensor = flow.tensors[i];
        if (tensor.direction != Direction::kOutput || !tensor.content) continue;
        const RecordedResult* result = nullptr;
        if (found)
            for (const RecordedResult& each : found->recorded)
                if (each.path == tensor.path) result = &each;
        const Tensor* plain = result != nullptr ? expected_of(found->plain, *result) : nullptr;
        const Tensor* disturbed =
            result != nullptr ? expected_of(found->disturbed, *result) : nullptr;
        std::optional<Replayed> made;
        if (plain != nullptr && disturbed != nullptr)
            made = {plain->reshaped(tensor.shape), disturbed->reshaped(tensor.shape)};
        else if (inputs)
            made = passed_on(golden_, i, *inputs);
        const bool is_computed = made.has_value();
        is_any_computed = is_any_computed || is_computed;
        if (!is_computed && inputs && inputs->off <= kNearInputs && !compare::may_be_random(source))
            made = recorded(i, inputs->off);
        // What one that nobody can compute passes on says nothing of the rest.
        is_any_missing = is_any_missing || (!is_computed && !found);
        if (!made) {
            results_.unknown.insert(i);
            continue;
        }
        made->is_proven = inputs->are_proven;
        // Their rounding is left when they are gone; whole numbers have none.
        const bool is_rounded = result != nullptr && made->plain.dtype() == DType::kFloat64;
        const double cancelled = is_rounded ? unit * found->hidden.at(tensor.path) : 0;
        const double size = cancelled > 0 ? norm_of(made->plain.as<double>()) : 1;
        const double left = size > 0 ? kFunction * cancelled / size : 0;
        const double numel = std::sqrt(static_cast<double>(made->plain.numel()));
        judge(i,
              std::move(*made),
              {unit,
               is_computed ? left : kOfUnknown,
               cancelled > 0 ? cancelled / numel : 0,
               is_computed,
               inputs->off});
    }
    ++(is_any_computed ? results_.computed : results_.not_computed);
    if (!is_any_computed || (is_told && is_any_missing)) results_.unknown_ops.insert(&source);
}

void GoldenReplay::judge(size_t index, Replayed found, const ReplayRounding& rounding) {
    const double unit = rounding.unit;
    const TracedTensor& tensor = golden_.tensor(index);
    const Allowance allowance = unit > kFloat32.unit() ? kOfNarrow : kOfFloat32;
    const double honest =
        std::max(rounding.least,
                 allowance.times * distance(found.disturbed, found.plain).relative() +
                     allowance.least * unit);
    found.disturbed = disturbed(found.disturbed, unit, random_, rounding.lost);
    const auto theirs = partners_.elements(index);
    if (theirs && !found.is_proven) {
        // It may be no more than what was taken on trust.
        results_.unknown.insert(index);
        ++results_.unproven;
        return;
    }
    if (!theirs) {
        if (is_end(golden_, results_, index)) {
            const bool may_be_any = is_noise(honest, unit);
            const auto there =
                may_be_any ? std::nullopt : partners_.elsewhere(index, found.plain, honest);
            if (may_be_any || there) results_.found.insert(index);
            if (there && is_no_chance(tensor, honest)) results_.found_ops.push_back(there->op);
        }
        open_.emplace(index, std::move(found));
        return;
    }
    double allowed = honest;
    if (!is_number(index))
        allowed = stands_beside_agreeing(golden_, results_, index)
                      ? 1
                      : share_turned(found.disturbed, found.plain, unit);
    const ReplayPartners::Partner& partner = *partners_.of(index);
    compare::ReplayedResult result{.pair = partner.pair,
                                   .op = partner.op,
                                   .target = partner.path,
                                   .golden = tensor.path,
                                   .off = is_number(index)
                                              ? distance(*theirs, found.plain).relative()
                                              : share_of_others(*theirs, found.plain),
                                   .allowed = allowed};
    // Both sides make the same of the same, whatever form of the op that is.
    if (!result.agrees() && is_number(index) && rounding.inputs_off <= allowed)
        if (const double beside = distance(*theirs, wide_tensor(golden_, index)).relative();
            beside <= allowed)
            result.off = beside;
    if (!result.agrees() && is_number(index) && unit <= kFloat32.unit())
        allow_for_steps(flows_.target(), results_, result);
    if (!result.agrees() && is_number(index))
        if (const double scale = loss_scale(*theirs, found.plain, honest); scale != 1) {
            result.off = 0;
            result.is_scaled = true;
            partners_.replace(index,
                              {.pair = partner.pair,
                               .op = partner.op,
                               .path = partner.path,
                               .dtype = partner.dtype,
                               .read = [read = partner.read, scale] {
                                   return times(read().cast(DType::kFloat64), 1 / scale);
                               }});
        }
    result.at_partner = result.off;
    result.is_multiple = !result.agrees() && is_multiple(*theirs, found.plain);
    if (!result.agrees())
        if (auto other = partners_.elsewhere(index, found.plain, result.allowed)) {
            other->pair = result.pair;
            result.op = other->op;
            result.target = other->path;
            result.off = 0;
            partners_.replace(index, std::move(*other));
        }
    // Numbers that are nothing but rounding stay what they are.
    // What nobody can compute is no better than the target's.
    result.tells_little =
        rounding.is_computed && is_number(index) && tells_little(result.off, honest, unit);
    if (!result.proves()) open_.emplace(index, std::move(found));
    if (result.agrees()) results_.agreeing.insert(result.target);
    results_.judged.emplace(index, std::move(result));
}

void GoldenReplay::forget_unused(size_t op) {
    std::erase_if(open_, [&](const auto& each) {
        const auto last = last_use_.find(each.first);
        return last == last_use_.end() || last->second <= op;
    });
}

}  // namespace

std::optional<compare::Replay> replay_golden(PairedFlows& flows,
                                             const ReplayKnown& known,
                                             int threads) {
    if (!flows.golden().source.may_have_inputs()) return std::nullopt;
    return GoldenReplay(flows, known, threads).run();
}

}  // namespace npuscope::diagnose
