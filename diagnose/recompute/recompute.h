// Each op of a dump computed again from its own recorded inputs, against its recorded outputs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/bounds.h"
#include "compare/compare.h"
#include "npu_backend/chips/device.h"

namespace npuscope {
class IgnoredRegions;
}

namespace npuscope::diagnose {

/// How far from f(its recorded inputs), f in float64, a result may be: max|result - f| / max|f|.
struct Errors {
    double recorded = 0;                ///< what the recorded run introduced
    std::optional<double> of_dtype{};   ///< of the op in float32, rounded to the result's dtype
    std::optional<double> of_device{};  ///< of the device
    double ratio = 0;                   ///< of `recorded`, over what its arithmetic may be

    /// "as expected", "worse than the arithmetic allows" or, where the device is clearly farther
    /// off, "better than the device".
    [[nodiscard]] std::string_view word() const;
};

struct RecomputedOp {
    OpId id;                    ///< as recorded
    std::string path{};         ///< what reports call it
    OpSource place{};           ///< in a program
    std::string computed_as{};  ///< IR names of the rows that ran, blanks between; "" without one
    /// `argument`: as recorded; the sums are of the device's results against the recorded ones,
    /// `split` says what the recorded run introduced, and the judgement is about that.
    std::vector<compare::TensorResult> results{};
    std::vector<std::optional<Errors>> errors{};  ///< of each result, where it could be judged
    std::string skipped{};                        ///< why nothing can be said of it, "" otherwise
    std::string refused{};                        ///< why the device does not take it, "" otherwise
    compare::StandardVerdict standard{};          ///< of RecomputeOptions::standard

    [[nodiscard]] double worst() const;  ///< largest relative error, 0 without results
    [[nodiscard]] bool passes() const;   ///< no result is a finding
};

struct RecomputeReport {
    std::vector<RecomputedOp> ops{};        ///< in the order of the recording
    std::vector<std::string> missing{};     ///< recorded names without a row, each once
    std::vector<std::string> notes{};       ///< of the recording, such as what it lacks
    std::vector<std::string> arithmetic{};  ///< what was found out of the recording's, a line each

    std::optional<compare::StandardSummary> standard{};

    /// The op with the largest error; nullptr when nothing ran.
    [[nodiscard]] const RecomputedOp* worst() const;
};

struct RecomputeOptions {
    /// Tolerances that were given, and noise, by the recorded tensor's path; nullptr: the default
    /// by precision. Borrowed.
    const compare::Bounds* bounds = nullptr;
    const IgnoredRegions* ignored = nullptr;  ///< of results; borrowed
    /// Held against f(inputs), rounded to the result's dtype, as the golden. The third chip is a
    /// recording (`third_source`), or float32 arithmetic here.
    compare::StandardOptions standard{};
};

/// Each result is held against what honest arithmetic makes of the recorded inputs, whose class is
/// found from the recording (SideJudge); a result that this cannot judge, against the device's own,
/// by the tolerance of its precision. Of random ops what does not depend on chance is judged; an op
/// that the device does not take is judged all the same. Names and arguments of other frameworks go
/// through the aliases. A mask that was not recorded asks for the recorded results; an argument
/// that is neither recorded nor optional skips the op. `dump` is anything that open_source() takes;
/// records of functions (msprobe's) become runs of ops first. Errors: open_source's, and
/// Error(kIo|kFormat) when the dump cannot be read.
[[nodiscard]] RecomputeReport recompute(const std::filesystem::path& dump,
                                        const Device& device,
                                        const RecomputeOptions& options = {});

/// The report as a comparison of the recording with f(its inputs), for what reads those: its ops,
/// and a culprit for each that fails.
[[nodiscard]] compare::Result as_comparison(const RecomputeReport& report);

}  // namespace npuscope::diagnose
