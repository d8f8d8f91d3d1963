// What a check found: one verdict, per-op findings, and what to do next.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/dumpfile/overflow_role.h"
#include "diagnose/expectation.h"
#include "ir_tbe_map/mapping.h"

namespace npuscope::diagnose {

/// One tensor of an op in the isolated run against the golden's.
struct TensorFinding {
    std::string target;  ///< path in the isolated dump
    std::string golden;  ///< path in the golden dump
    std::string dtype;
    std::string shape;
    std::string verdict;  ///< pass, fail, undefined, incomparable, missing, mistrusted
    std::string rule;     ///< what decided it: "max|t-g| 3.1e-04 <= 4e-03 max|g|"
    std::vector<std::pair<std::string, double>> metrics;
};

using dumpfile::OverflowRole;

/// One recorded op. Errors are relative: max|t - g| / max|g| of the worst tensor.
struct OpFinding {
    std::string path;  ///< /name/seqid
    std::string name;
    int64_t seqid = 0;
    std::string node;
    std::string compute_type;
    std::vector<std::string> kernels;
    std::string verdict;  ///< pass, fail, missing, incomparable, mistrusted, unjudged
    std::string rule;
    std::optional<double> introduced;  ///< isolated run: on the golden's inputs
    std::optional<double> inherited;   ///< free run: the worst of its inputs
    std::optional<double> free_error;  ///< free run: the worst of its outputs
    double tolerance = 0;
    OverflowRole overflow = OverflowRole::kNone;
    std::string overflow_note;  ///< from which op it received, which kernels raised it
    std::vector<TensorFinding> tensors;
    std::vector<ir_tbe_map::MappedKernel> kernel_rows = {};  ///< of a culprit: each judged alone
    std::optional<size_t> first_kernel = {};  ///< of kernel_rows: the first to leave the reference
    std::string kernel_folder = {};           ///< of the dumps of kernel_rows; "" without
};

/// Why the first culprit differs, as far as the evidence goes.
struct Explanation {
    std::string fingerprint;  ///< fp16-saturation, fp16-overflow, cube-demotion, …, unexplained
    double confidence = 0;    ///< 0 to 1
    std::string evidence;
};

struct CheckReport {
    std::string verdict;   ///< pass, fail or undecided
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
    std::vector<OpFinding> ops;           ///< by seqid
    std::optional<size_t> first_culprit;  ///< index into ops
    std::optional<size_t>
        worst;  ///< index of the largest introduced/tolerance; absent when nothing was judged
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
    std::filesystem::path golden_dump;
    std::filesystem::path free_dump;
    std::filesystem::path isolated_dump;
};

/// The object of `check --json` and verdicts.json; its schema is docs/verdicts.md.
[[nodiscard]] std::string to_json(const CheckReport& report);
/// A self-contained page: no script or style from elsewhere.
[[nodiscard]] std::string to_html(const CheckReport& report);
/// For a terminal of any width above 60 columns; `color` adds ANSI sequences.
[[nodiscard]] std::string to_text(const CheckReport& report, bool color, bool all_ops);

}  // namespace npuscope::diagnose
