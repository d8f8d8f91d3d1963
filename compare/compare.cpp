#include "compare/compare.h"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <utility>

#include "compare/agreement.h"
#include "compare/align/parting.h"
#include "compare/align/related_plan.h"
#include "compare/align/span_tensors.h"
#include "compare/contradictions.h"
#include "compare/count.h"
#include "compare/equal_inputs.h"
#include "compare/match.h"
#include "compare/measure/ignored_pairs.h"
#include "compare/measure/measure_pair.h"
#include "compare/op_facts.h"
#include "compare/origins/effects.h"
#include "compare/origins/first_change.h"
#include "compare/origins/first_nonfinite.h"
#include "compare/origins/loss_scale.h"
#include "compare/origins/unscaling.h"
#include "compare/overflow_roles.h"
#include "compare/programs/agrees_behind.h"
#include "compare/programs/batches.h"
#include "compare/programs/chosen_sizes.h"
#include "compare/programs/closed_stretches.h"
#include "compare/programs/cut_short.h"
#include "compare/programs/exchanged_operands.h"
#include "compare/programs/exchanged_ops.h"
#include "compare/programs/one_sided_findings.h"
#include "compare/programs/program_findings.h"
#include "compare/programs/replay_findings.h"
#include "compare/programs/spans.h"
#include "compare/programs/uncross.h"
#include "compare/programs/unknown_ops.h"
#include "compare/programs/wrong_casts.h"
#include "compare/quick_choice.h"
#include "compare/rules/rule.h"
#include "compare/settled.h"
#include "compare/standards/score.h"
#include "core/base/error.h"
#include "core/naming/casts.h"
#include "core/parallel/parallel_for.h"
#include "custom_algorithms/runner.h"

namespace npuscope::compare {

namespace {

/// Two sources in one comparison.
class Comparison {
  public:
    Comparison(const Source& target,
               const Source& golden,
               const Bounds& bounds,
               const Options& options,
               IgnoredPairs* ignored = nullptr)
        : target_(target),
          golden_(golden),
          bounds_(bounds),
          options_(options),
          splitter_(options.judging == Judging::kOff ? nullptr : options.splitter),
          plan_(related_plan(target, golden, options)),
          score_(options_, golden),
          ignored_(ignored) {}

    Result run();

  private:
    /// Of recordings without elements: what is said only of ops that differ.
    void judge_bare(int threads, Result& result) const;
    /// Traces what has to be known before ops are judged.
    void prepare(std::optional<Traced>& traced, int threads);
    void compare_ops(int threads, Result& result);
    /// Judges the ops again that a quick judgement computes.
    void judge_quickly(std::optional<Traced>& traced, int threads, Result& result);
    [[nodiscard]] std::vector<TensorPair> pairs_in(const OpPair& pair,
                                                   const BothTensors& both) const;
    [[nodiscard]] OpResult compare_op(const OpPair& pair) const;
    void split(const OpPair& pair, const std::vector<TensorPair>& tensors, OpResult& op) const;

    const Source& target_;
    const Source& golden_;
    const Bounds& bounds_;
    Options options_;
    Splitter* splitter_;  ///< nullptr: nothing is computed
    Plan plan_;
    StandardScore score_;
    IgnoredPairs* ignored_;  ///< nullptr: nothing is
};

SideFacts facts_of(const SourceOp* op) {
    return op != nullptr && op->facts ? op->facts() : SideFacts{};
}

/// An op whose tensors cannot be listed.
OpResult& unread(OpResult& op, const Error& failure) {
    op.is_unreadable = true;
    op.judgement = {Verdict::kIncomparable, failure.what()};
    TensorResult tensor;
    tensor.target = op.target;
    tensor.golden = op.golden;
    tensor.judgement = op.judgement;
    op.tensors.push_back(std::move(tensor));
    return op;
}

/// Now that it was asked what the sides introduced.
void judge_again(TensorResult& result, const Split& split) {
    result.judgement = judge({.sums = result.sums,
                              .bound = result.judgement.bound,
                              .dtype = dtype_from_name(result.dtype).value_or(DType::kFloat32),
                              .split = &split,
                              .is_input = result.direction == dumpfile::Direction::kInput});
}

std::vector<TensorPair> Comparison::pairs_in(const OpPair& pair, const BothTensors& both) const {
    const bool inputs = options_.inputs && plan_.inputs;
    std::vector<TensorPair> pairs =
        pair_tensors(pair, both.target, both.golden, target_.numbered && golden_.numbered);
    std::erase_if(pairs, [&](const TensorPair& tensors) {
        return !inputs && tensors.known().direction == dumpfile::Direction::kInput;
    });
    return pairs;
}

OpResult Comparison::compare_op(const OpPair& pair) const {
    OpResult op;
    op.match = pair.match;
    op.id = (pair.target != nullptr ? pair.target : pair.golden)->id;
    if (pair.target != nullptr) op.target = pair.target->path;
    if (pair.golden != nullptr) op.golden = pair.golden->path;
    op.also_target = paths_of(pair.also_target);
    op.also_golden = paths_of(pair.also_golden);
    op.shapes_differ = pair.shapes_differ;
    if (pair.target != nullptr) {
        op.unmatched = pair.target->unmatched;
        op.unmatched_argument = pair.target->unmatched_argument;
    }
    const SideFacts target = facts_of(pair.target);
    const OpSource& place = target.recorded.source;
    // The golden's place is told only where the target's is not known.
    const bool is_placed = !place.module.empty() && !place.line.empty() && pair.golden != nullptr;
    take_facts(target,
               is_placed && pair.golden->facts_but_place ? pair.golden->facts_but_place()
                                                         : facts_of(pair.golden),
               op);
    if (pair.target != nullptr && pair.golden != nullptr) {
        BothTensors both;
        try {
            both = tensors_of(pair);
        } catch (const Error& failure) {
            return unread(op, failure);
        }
        const std::vector<TensorPair> pairs = pairs_in(pair, both);
        op.tensors.reserve(pairs.size());
        for (const TensorPair& tensors : pairs)
            op.tensors.push_back(measure_pair(tensors, bounds_, options_));
        if (splitter_ != nullptr && options_.judging == Judging::kExact) split(pair, pairs, op);
        score_.score(pair, pairs, op);
    }
    conclude(op, options_.allow_golden_at_fault);
    if (!pair.fault.empty()) op.judgement = {Verdict::kFail, pair.fault};
    return op;
}

/// Judges what was measured of the outputs again, by what the sides introduced.
void Comparison::split(const OpPair& pair,
                       const std::vector<TensorPair>& tensors,
                       OpResult& op) const {
    std::vector<SplitQuery> queries;
    std::vector<TensorResult*> results;
    const bool same_inputs = plan_.load_mode || inputs_are_equal(op);
    for (size_t i = 0; i < tensors.size(); ++i) {
        TensorResult& result = op.tensors[i];
        if (result.metrics.empty()) continue;
        const Evidence evidence{.sums = result.sums, .bound = result.judgement.bound};
        if (result.direction == dumpfile::Direction::kInput) {
            judge_again(result, {});
            continue;
        }
        queries.push_back({tensors[i].target,
                           tensors[i].golden,
                           evidence.differs(),
                           same_inputs && are_equal(result)});
        results.push_back(&result);
    }
    if (queries.empty()) return;
    // By what they hold, a view pairs with any other of the same elements.
    const bool is_other_view = plan_.is_related && is_cast(pair.target->id.op);
    std::vector<ArgumentDifference> arguments;
    if (!is_other_view) {
        arguments = op.arguments;
        arguments.insert(
            arguments.end(), op.one_sided_arguments.begin(), op.one_sided_arguments.end());
    }
    std::vector<Split> splits = splitter_->split(pair, queries, arguments);
    for (size_t i = 0; i < results.size(); ++i) {
        // Equal inputs and another result: whatever the op is, it is here that they part.
        if (!splits[i].target && !splits[i].why_not.starts_with(kRandomOp) &&
            !pair.target->lacks_numbers && !pair.golden->lacks_numbers) {
            hold_to_like(splits[i].like, bounds_, *results[i]);
            if (same_inputs || (inputs_agree(op) && is_far_off(*results[i]))) continue;
        }
        judge_again(*results[i], splits[i]);
        results[i]->split = std::move(splits[i]);
    }
}

/// Bytes compared before the mapped files' pages are given back.
constexpr uint64_t kResident = uint64_t{8} << 20;

void Comparison::prepare(std::optional<Traced>& traced, int threads) {
    traced.emplace(plan_, target_, golden_, threads, options_.dataflow);
    const bool by_distance = options_.dataflow && !traced->has_inputs();
    if (plan_.load_mode && (by_distance || !splitter_->was_loaded(*traced->flows))) {
        plan_ = related_plan(target_, golden_, options_, false);
        traced->pair(plan_);
    }
    if (by_distance) splitter_ = nullptr;
    const bool is_free_run = options_.dataflow && !plan_.load_mode && traced->flows;
    const auto pair_again = [&](bool is_other) {
        if (is_other) traced->pair(plan_);
        return is_other;
    };
    for (int i = 0; i < kMostCrossed && is_free_run && !plan_.is_related; ++i)
        if (!pair_again(uncross(*traced->flows, plan_))) break;
    pair_again(is_free_run && exchange_operands(*traced->flows, plan_));
    pair_again(is_free_run && close_stretches(*traced->flows, plan_));
    pair_again(is_free_run && target_.numbered && golden_.numbered &&
               part_exchanged(*traced->flows, plan_));
    pair_again(options_.dataflow && !plan_.load_mode && options_.judging == Judging::kExact &&
               take_wrong_casts(traced->flows->target(), threads, plan_));
    if (splitter_ != nullptr && options_.judging == Judging::kExact)
        splitter_->prepare(*traced->flows, {});
}

void Comparison::compare_ops(int threads, Result& result) {
    result.ops.resize(plan_.ops.size());
    const auto total = static_cast<int64_t>(plan_.ops.size());
    // Many ops: one thread an op. Few: the threads share each tensor. The numbers are the same.
    const bool ops_in_parallel = total >= int64_t{2} * threads;
    options_.threads = ops_in_parallel ? 1 : threads;
    std::mutex mutex;
    int64_t done = 0;
    uint64_t unreleased = 0;
    parallel_for(total, ops_in_parallel ? threads : 1, [&](int64_t index) {
        const OpPair& pair = plan_.ops[static_cast<size_t>(index)];
        OpResult& op = result.ops[static_cast<size_t>(index)];
        op = compare_op(pair);
        if (!(pair.target != nullptr ? target_ : golden_).numbered) op.id.seqid = index;
        const std::lock_guard guard(mutex);
        ++done;
        unreleased += pair.target != nullptr ? pair.target->mapped_bytes : 0;
        if (unreleased >= kResident) {
            for (const Source* side : {&target_, &golden_})
                if (side->release) side->release();
            unreleased = 0;
        }
        if (options_.on_op) options_.on_op(done, total, op.target.empty() ? op.golden : op.target);
    });
}

void Comparison::judge_quickly(std::optional<Traced>& traced, int threads, Result& result) {
    std::vector<size_t> differing;
    std::vector<size_t> chosen;
    for (size_t i = 0; i < plan_.ops.size(); ++i) {
        if (plan_.ops[i].target == nullptr || plan_.ops[i].golden == nullptr) continue;
        chosen.assign(1, i);
        if (differs_anywhere(result.ops[i])) differing.push_back(i);
    }
    if (differing.empty() && !traced && plan_.partings.empty()) {
        // Nobody needs to know what made what: the last op alone is an output for sure.
        traced.emplace(plan_, target_, golden_);
    } else {
        if (!traced) prepare(traced, threads);
        if (auto found = quick_choice(*traced->flows, differing); !found.empty())
            chosen = std::move(found);
        if (options_.dataflow) take_flow_findings(*traced, threads, result);
    }
    if (splitter_ == nullptr) return;
    // What is taken in is somebody's result, and is judged as that.
    for (OpResult& op : result.ops)
        for (TensorResult& tensor : op.tensors)
            if (tensor.direction == dumpfile::Direction::kInput && !tensor.metrics.empty())
                judge_again(tensor, {});
    if (chosen.empty()) {
        splitter_ = nullptr;
        return;
    }
    splitter_->prepare(*traced->flows, chosen);
    parallel_for(static_cast<int64_t>(chosen.size()), threads, [&](int64_t index) {
        const size_t place = chosen[static_cast<size_t>(index)];
        OpResult& op = result.ops[place];
        try {
            const BothTensors both = tensors_of(plan_.ops[place]);
            split(plan_.ops[place], pairs_in(plan_.ops[place], both), op);
            conclude(op, options_.allow_golden_at_fault);
        } catch (const Error&) {
            // What cannot be read was told when it was measured.
        }
    });
    if (options_.dataflow) accuse_unknown_ops(plan_, result);
}

void Comparison::judge_bare(int threads, Result& result) const {
    const bool differs = std::ranges::any_of(result.ops, lacks_side_or_fails);
    if (!differs && !may_have_first_change(result)) return;
    Traced traced(plan_, target_, golden_, threads, true);
    take_flow_findings(traced, threads, result);
}

Result Comparison::run() {
    Result result;
    result.allow_golden_at_fault = options_.allow_golden_at_fault;
    result.structure_only = target_.structure_only || golden_.structure_only;
    result.by_calls = !(target_.numbered && golden_.numbered);
    for (const Source* side : {&target_, &golden_})
        for (const std::string& remark : side->remarks)
            if (std::ranges::find(result.notes, remark) == result.notes.end())
                result.notes.push_back(remark);
    if (options_.custom != nullptr) result.custom_names = options_.custom->names();
    const int threads = options_.threads > 0 ? options_.threads : available_threads();
    const bool quick = options_.judging == Judging::kQuick;
    if (ignored_ != nullptr) ignored_->find(plan_, target_.numbered && golden_.numbered);
    std::optional<Traced> traced;
    const bool bare = target_.lacks_elements && golden_.lacks_elements && splitter_ != nullptr;
    if (bare) splitter_ = nullptr;
    if (splitter_ != nullptr && (!quick || plan_.load_mode)) prepare(traced, threads);
    compare_ops(threads, result);
    result.load_mode = plan_.load_mode;
    result.by_content = plan_.is_related;
    if (!plan_.remark.empty()) result.notes.push_back(plan_.remark);
    if (options_.dataflow) take_one_sided(plan_, result);
    if (bare) {
        if (options_.dataflow) judge_bare(threads, result);
    } else if (splitter_ != nullptr && quick) {
        judge_quickly(traced, threads, result);
    } else if (traced && options_.dataflow) {
        if (!traced->has_inputs()) take_loss_scale(plan_, *traced, result);
        take_flow_findings(*traced, threads, result);
    }
    if (splitter_ != nullptr) {
        result.arithmetic = splitter_->remarks();
        take_contradictions(plan_, splitter_->contradictions(), result);
    }
    if (splitter_ != nullptr && traced) {
        take_loss_scale(plan_, *traced, result);
        forgive_unscaling(result);
        if (traced->flows) forget_other_roles(*traced->flows, result);
        take_chosen_sizes(plan_, *traced, *splitter_, result);
        take_spans(plan_, *traced, *splitter_, result);
    }
    accuse_first_nonfinite(result);
    take_programs(traced, options_.dataflow, threads, plan_, result);
    if (splitter_ != nullptr && traced && traced->flows && options_.dataflow && !quick)
        judge_by_replay(*splitter_, *traced->flows, plan_, result);
    forget_what_is_cut_off(plan_, target_, golden_, result);
    mark_overflow(result.ops);
    forget_settled(result);
    find_culprits(result);
    take_batches(plan_, result);
    if (traced && splitter_ != nullptr) rank_culprits(*traced->flows, threads, result);
    count(result);
    score_.summarise(result);
    if (ignored_ != nullptr) std::ranges::move(ignored_->notes(), std::back_inserter(result.notes));
    return result;
}

}  // namespace

Result compare_sources(const Source& target,
                       const Source& golden,
                       const Bounds& bounds,
                       const Options& options) {
    if (options.ignored == nullptr || options.ignored->empty())
        return Comparison(target, golden, bounds, options).run();
    IgnoredPairs ignored(*options.ignored);
    const Source ours = ignored.target(target);
    const Source theirs = ignored.golden(golden);
    return Comparison(ours, theirs, bounds, options, &ignored).run();
}

Result compare_dumps(const dumpfile::Reader& target,
                     const dumpfile::Reader& golden,
                     const Bounds& bounds,
                     const Options& options) {
    const auto borrowed = [](const dumpfile::Reader& reader) {
        return source_of_dump({std::shared_ptr<const dumpfile::Reader>(), &reader});
    };
    return compare_sources(borrowed(target), borrowed(golden), bounds, options);
}

}  // namespace npuscope::compare
