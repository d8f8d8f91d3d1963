// What a check found: one verdict, per-op findings, and what to do next.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/compare.h"
#include "core/dumpfile/overflow_role.h"
#include "diagnose/kernels/mapping.h"
#include "diagnose/run/expectation.h"

namespace npuscope::diagnose {

using dumpfile::OverflowRole;

/// One recorded op. Errors are relative: max|t - g| / max|g| of the worst tensor.
struct OpFinding {
    OpId id;
    std::string node;
    ComputeType compute_type = ComputeType::kNone;
    std::vector<std::string> kernels;
    std::optional<compare::Judgement> judgement;  ///< empty: the isolated run lacks it
    /// What the op did in the free run that no arithmetic explains; "" where its isolated run
    /// tells.
    std::string free_fault = {};
    std::optional<double> introduced;  ///< isolated run: on the golden's inputs
    std::optional<double> inherited;   ///< free run: the worst of its inputs
    std::optional<double> free_error;  ///< free run: the worst of its outputs
    /// Isolated run: its worst element's error over what its arithmetic may be off there; empty
    /// where the op cannot be computed again.
    std::optional<double> ratio = {};
    bool coarse = false;  ///< honest, and yet off by more than results of its precision usually are
    std::string arithmetic = {};  ///< that it was held to: "fp16 inputs, fp32 sums"
    OverflowRole overflow = OverflowRole::kNone;
    std::string overflow_note;  ///< from which op it received, which kernels raised it
    std::vector<compare::TensorResult> tensors;  ///< outputs of the isolated run
    compare::StandardVerdict standard = {};      ///< of the isolated run, where one was asked for
    std::vector<MappedKernel> kernel_rows = {};  ///< of a culprit: each judged alone
    std::optional<size_t> first_kernel = {};  ///< of kernel_rows: the first to leave the reference
    std::string kernel_folder = {};           ///< of the dumps of kernel_rows; "" without

    [[nodiscard]] bool is(compare::Verdict verdict) const {
        return judgement && judgement->verdict == verdict;
    }
    [[nodiscard]] bool passes() const {
        return free_fault.empty() &&
               (is(compare::Verdict::kPass) || is(compare::Verdict::kOrderSensitive));
    }
    /// On the golden's inputs.
    [[nodiscard]] bool fails_alone() const {
        return is(compare::Verdict::kFail) || is(compare::Verdict::kOutOfRange) ||
               is(compare::Verdict::kGoldenAtFault);
    }
    [[nodiscard]] bool fails() const { return fails_alone() || !free_fault.empty(); }
    /// The verdict's name, "unjudged" without one.
    [[nodiscard]] std::string_view verdict_name() const {
        if (!free_fault.empty() && !fails_alone()) return compare::name_of(compare::Verdict::kFail);
        return judgement ? compare::name_of(judgement->verdict) : "unjudged";
    }
    /// What decided the verdict; "" without one.
    [[nodiscard]] std::string rule() const {
        if (!free_fault.empty() && !fails_alone()) return "in the free run: " + free_fault;
        return judgement ? judgement->rule : std::string();
    }
    /// The verdict's name, but "overflow" where the op introduced one, and "received" where it
    /// passes with another op's.
    [[nodiscard]] std::string_view status() const;
};

/// Why the first culprit differs, as far as the evidence goes.
struct Explanation {
    std::string fingerprint;  ///< cube-demotion, hf32-inputs, float16-overflow, …
    double confidence = 0;    ///< 0 to 1
    std::string evidence;
};

enum class CheckVerdict : uint8_t { kPass, kFail, kUndecided };
[[nodiscard]] std::string_view name_of(CheckVerdict verdict);  ///< pass, fail, undecided

struct CheckReport {
    CheckVerdict verdict = CheckVerdict::kUndecided;
    std::string headline;  ///< one sentence for the top of terminal and page
    std::string model;
    std::string device;
    std::string golden;                        ///< the reference, or the golden file
    std::string inputs;                        ///< where they come from, their dtypes and shapes
    std::vector<std::string> bad_inputs = {};  ///< inputs that hold NaN, a sentence each
    /// Weights, constants and inputs that are not the golden's: how many, and of the first ten a
    /// sentence each.
    int64_t given_differ = 0;
    std::vector<std::string> given = {};
    /// Where the free run's program and tensors are not the golden's, a sentence each.
    std::vector<std::string> program = {};
    std::vector<std::string> arithmetic = {};  ///< what the device computes in, a sentence each
    std::vector<OpFinding> ops;                ///< by seqid
    std::optional<size_t> first_culprit;       ///< index into ops
    std::optional<size_t>
        worst;  ///< index of the largest introduced; absent when no judged op differs
    Explanation why;
    std::string next;                       ///< a command to run
    std::vector<OutputDifference> outputs;  ///< free run against golden
    std::optional<int64_t> changed;         ///< predictions that differ, of `samples`
    int64_t samples = 0;
    int64_t compared = 0;
    int64_t passed = 0;
    int64_t failed = 0;
    int64_t not_judged = 0;
    int64_t overflow_introduced = 0;
    int64_t overflow_received = 0;
    std::vector<std::string> remarks;
    std::vector<std::pair<std::string, std::string>> options;
    /// What a named standard says of the isolated run; it names ops of `ops`.
    std::optional<compare::StandardSummary> standard = {};
    int64_t ignored_tensors = 0;  ///< of the isolated run, with elements that were ignored
    int64_t ignored_elements = 0;
    std::filesystem::path golden_dump;
    std::filesystem::path free_dump;
    std::filesystem::path isolated_dump;
};

/// The report as a comparison of the chip with the golden, for what reads those: its ops, and a
/// culprit for each finding.
[[nodiscard]] compare::Result as_comparison(const CheckReport& report);

/// The object of `check --json` and verdicts.json; its schema is docs/verdicts.md. `gate` may be
/// nullptr.
[[nodiscard]] std::string to_json(const CheckReport& report, const compare::Gate* gate = nullptr);
/// A self-contained page: no script or style from elsewhere.
/// For a terminal of any width above 60 columns; `color` adds ANSI sequences.
[[nodiscard]] std::string to_text(const CheckReport& report, bool color, bool all_ops);

}  // namespace npuscope::diagnose
