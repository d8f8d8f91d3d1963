// Splits errors by recomputing both sides' ops.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "compare/dataflow/paired_flows.h"
#include "compare/dataflow/rebuild.h"
#include "compare/split.h"
#include "compare/standards/standard.h"
#include "diagnose/judge/expected_arithmetic.h"
#include "diagnose/judge/extra_ops.h"
#include "diagnose/judge/known_cuts.h"
#include "diagnose/judge/side_judge.h"

namespace npuscope::diagnose {

/// What is known of two runs beforehand. Devices are borrowed.
struct KnownRuns {
    const Device* target = nullptr;  ///< tells the classes of arithmetic; nullptr: found out
    const Device* golden = nullptr;  ///< likewise; what equals the float64 reference's is honest
    bool loaded = false;       ///< a target without inputs was given the golden's, without a doubt
    bool target_only = false;  ///< what the golden introduced is not asked for
};

class RecomputingSplitter final : public compare::Splitter {
  public:
    /// `expected` of the target's arithmetic; where that is nothing, what its recording says.
    explicit RecomputingSplitter(int threads = 0,
                                 const KnownRuns& known = {},
                                 const ExpectedArithmetic& expected = {})
        : threads_(threads), known_(known), expected_(expected) {}
    [[nodiscard]] bool was_loaded(compare::PairedFlows& flows) const override;
    void prepare(compare::PairedFlows& flows, std::span<const size_t> chosen) override;
    [[nodiscard]] std::vector<compare::Split> split(
        const compare::OpPair& pair,
        const std::vector<compare::SplitQuery>& outputs,
        const std::vector<ArgumentDifference>& arguments) const override;
    [[nodiscard]] compare::ExactRun exact(const SourceOp& run,
                                          const compare::OpPair* pair,
                                          bool plain) const override;
    [[nodiscard]] std::optional<compare::Replay> replay(compare::PairedFlows& flows) const override;
    [[nodiscard]] const SourceOp* taker_of(const SourceOp& extra) const override {
        const auto found = takers_.find(&extra);
        return found == takers_.end() ? nullptr : found->second;
    }
    [[nodiscard]] bool infinities_count() const override { return expected_.gives_infinities(); }
    [[nodiscard]] std::vector<std::string> remarks() const override;
    [[nodiscard]] std::vector<compare::ArithmeticContradiction> contradictions() const override;

  private:
    /// Of a run that has several forms: the form that its results fit.
    [[nodiscard]] OpRun form_of(OpRun run) const;
    /// The golden's own errors, and f(target's inputs) against f(golden's inputs).
    static void compare_inputs(const OpRun& target,
                               const OpRun& golden,
                               SideJudge::Errors& golden_errors,
                               const std::vector<compare::SplitQuery>& outputs,
                               std::vector<compare::Split>& splits);
    /// Where a result is much nearer to the golden's than what it was made of is, as the golden's
    /// flow tells that, it was made of something else: it is not known what the op introduced.
    static void doubt_rebuilt(const OpRun& target,
                              const OpRun& golden,
                              const std::vector<compare::SplitQuery>& outputs,
                              std::vector<compare::Split>& splits);
    /// The same where a step of training that is not recorded moved what the golden gave the op: an
    /// error that is no larger than what the golden's own step does to the result may be in that.
    void doubt_moved(const compare::OpPair& pair,
                     const OpRun& target,
                     const std::vector<compare::SplitQuery>& outputs,
                     std::vector<compare::Split>& splits) const;
    /// Whether the target's results would be others with the golden's numbers.
    void judge_arguments(const OpRun& target,
                         const OpRun& golden,
                         const std::string& differences,
                         const std::vector<compare::SplitQuery>& outputs,
                         std::vector<compare::Split>& splits) const;
    /// Of a random op: what holds whatever it drew.
    void judge_random(const compare::OpPair& pair,
                      const std::vector<compare::SplitQuery>& outputs,
                      const std::vector<ArgumentDifference>& arguments,
                      std::vector<compare::Split>& splits) const;
    /// The ratio of `product` as a part of the op that adds a bias to it; empty without one.
    [[nodiscard]] std::optional<double> ratio_with_bias(const SourceOp& op,
                                                        const OpRun& product) const;

    /// Made when it is asked for.
    [[nodiscard]] const SideJudge& golden_judge() const;
    /// A run of the golden's op; empty where there is none, or it cannot be had.
    using GoldenRun = std::function<std::optional<OpRun>()>;
    [[nodiscard]] std::vector<compare::Split> split_loaded(
        const compare::OpPair& pair,
        OpRun loaded,
        const GoldenRun& golden_run,
        const std::vector<compare::SplitQuery>& outputs,
        const std::vector<ArgumentDifference>& arguments) const;
    /// Of large runs: of the elements that differ most, and some others. Empty where there is
    /// something to look at more closely, or a part tells nothing.
    [[nodiscard]] std::optional<std::vector<compare::Split>> split_part(
        const compare::OpPair& pair,
        const std::vector<compare::SplitQuery>& outputs,
        const std::vector<ArgumentDifference>& arguments) const;
    /// Of large runs in which all is honest; empty of others. `loaded` is the target's run, not
    /// widened, and is not changed.
    [[nodiscard]] std::optional<std::vector<compare::Split>> split_in_pieces(
        const compare::OpPair& pair,
        const OpRun& loaded,
        const std::vector<compare::SplitQuery>& outputs,
        const std::vector<ArgumentDifference>& arguments) const;
    /// Of the target's run, where its recording has none.
    [[nodiscard]] KnownInputs known_inputs(const compare::OpPair& pair) const;
    [[nodiscard]] KnownInputs inputs_by_golden(const compare::OpPair& pair) const;
    /// Of several ops that end in what one of the golden's makes: that one, on the target's
    /// numbers.
    [[nodiscard]] std::optional<OpRun> load_target(const compare::OpPair& pair,
                                                   std::string& why_not) const;
    /// Waits until no other run that takes much memory is judged; an empty lock for small ones.
    [[nodiscard]] std::unique_lock<std::mutex> alone_if_large(const SourceOp& op) const;
    /// The worst of the other ops of a span becomes its error.
    void judge_span(const compare::OpPair& pair, compare::Split& split) const;

    /// Split::like of a result.
    [[nodiscard]] ComputeType computed_like(const SourceOp& op, const SourceTensor& result) const;
    /// Of one run of an op.
    [[nodiscard]] std::vector<compare::Split> split_run(
        const compare::OpPair& pair,
        const std::vector<compare::SplitQuery>& outputs,
        const std::vector<ArgumentDifference>& arguments) const;
    /// The op itself, or the runs that a function came to; none where there are none.
    [[nodiscard]] std::vector<const SourceOp*> runs_of(const SourceOp& op);

    int threads_;
    KnownRuns known_;
    ExpectedArithmetic expected_;
    std::vector<const compare::OpPair*> pairs_of_targets_;  ///< by the target judge's ops
    bool load_mode_ = false;
    bool is_quick_ = false;  ///< some pairs are chosen: parts of their runs will do
    const Source* target_ = nullptr;
    std::unordered_map<const compare::OpPair*, size_t> places_;
    mutable std::mutex rebuilding_;
    mutable KnownCuts cuts_;
    mutable std::mutex large_run_;  ///< of those that take much memory one is judged at a time
    std::unique_ptr<compare::InputRebuilder> rebuilder_;  ///< of a target that holds outputs only
    TakersOfExtra takers_;                                ///< likewise
    std::unique_ptr<SideJudge> target_judge_;
    std::vector<SideOp> goldens_;
    std::unordered_map<const SourceOp*, std::vector<SourceOp>> runs_;  ///< of functions
    size_t sample_ = SideJudge::kSample;
    mutable std::once_flag golden_made_;
    mutable std::unique_ptr<SideJudge> golden_judge_;
};

}  // namespace npuscope::diagnose
