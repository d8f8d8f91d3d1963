// Splits errors by recomputing both sides' ops.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compare/match.h"
#include "compare/split.h"
#include "diagnose/judge/side_judge.h"

namespace npuscope::diagnose {

class RecomputingSplitter final : public compare::Splitter {
  public:
    explicit RecomputingSplitter(int threads = 0) : threads_(threads) {}
    void prepare(const compare::Plan& plan,
                 const compare::Source& target,
                 const compare::Source& golden) override;
    [[nodiscard]] std::vector<compare::Split> split(
        const compare::OpPair& pair,
        const std::vector<compare::SplitQuery>& outputs) const override;
    [[nodiscard]] std::vector<std::string> remarks() const override;

  private:
    /// The golden's own errors, and f(target's inputs) against f(golden's inputs).
    static void compare_inputs(const OpRun& target,
                               const OpRun& golden,
                               SideJudge::Errors& golden_errors,
                               const std::vector<compare::SplitQuery>& outputs,
                               std::vector<compare::Split>& splits);
    /// Whether the target's results would be others with the golden's numbers.
    void judge_arguments(const compare::OpPair& pair,
                         const OpRun& target,
                         const std::vector<compare::SplitQuery>& outputs,
                         std::vector<compare::Split>& splits) const;
    /// The ratio of `product` as a part of the op that adds a bias to it; empty without one.
    [[nodiscard]] std::optional<double> ratio_with_bias(const compare::SourceOp& op,
                                                        const OpRun& product) const;

    int threads_;
    bool load_mode_ = false;
    const compare::Source* target_ = nullptr;
    std::unique_ptr<SideJudge> target_judge_;
    std::unique_ptr<SideJudge> golden_judge_;
};

}  // namespace npuscope::diagnose
