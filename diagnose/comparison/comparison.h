// A comparison of recordings as people ask for it: tolerances, noise, a standard, what to ignore.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compare/compare.h"
#include "compare/pair_runs.h"
#include "diagnose/comparison/judging_files.h"
#include "diagnose/judge/expected_arithmetic.h"

namespace npuscope::diagnose {

/// Words are those of `npuscope compare`; "" is nothing.
struct ComparisonRequest {
    std::optional<double> tolerance{};  ///< of every float tensor; then nothing is computed
    double tolerance_factor = 1;        ///< of those by precision
    std::string judge = "exact";
    std::string chip{};
    std::string target_class{};
    JudgingRequest judging{};
    compare::AlignOptions align{};
    bool allow_golden_at_fault = false;
    bool inputs = true;
    bool divergence = true;
    int threads = 0;
    custom_algorithms::Runner* custom = nullptr;  ///< borrowed
};

/// What was asked for, by name, for reports.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> to_texts(
    const ComparisonRequest& request);

class RecordingComparison {
  public:
    /// Called with the ops that are done, all ops, and the op's path; what it throws ends the
    /// comparison.
    using OnOp = std::function<void(int64_t done, int64_t total, const std::string& op)>;

    /// Reads the files of tolerances and noise. Errors: theirs; Error(kUsage) wishes that do not go
    /// together.
    explicit RecordingComparison(ComparisonRequest request);

    /// The runs of both sides, paired; one where each is no tree, and where sides of one step and
    /// other numbers of ranks are to be aligned, which are joined. Measures the noise that
    /// repetitions show, and writes it. Errors: those of recorded_runs() and pair_runs();
    /// Error(kUsage) repetitions or a third recording that lack the golden's runs; Error(kIo).
    [[nodiscard]] std::vector<compare::RunPair> prepare(const std::filesystem::path& target,
                                                        const std::filesystem::path& golden);
    /// One of these that both sides have. Errors: those of compare_files().
    [[nodiscard]] compare::Result compare(const compare::RunPair& pair, const OnOp& on_op = {});

  private:
    [[nodiscard]] bool may_look_again() const;

    ComparisonRequest request_;
    compare::Options options_;
    ExpectedArithmetic expected_;
    JudgingFiles files_;
    std::unique_ptr<compare::Bounds> plain_;
    bool is_tree_ = false;
    /// Ranks of sides that are compared as one; else empty.
    std::vector<RecordedRun> target_ranks_;
    std::vector<RecordedRun> golden_ranks_;
    /// Of a third recording, by the golden's runs.
    std::map<std::filesystem::path, std::filesystem::path> thirds_;
};

}  // namespace npuscope::diagnose
