// One row of compare/ci/ci_reports.def: findings in a format that build servers read.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compare/compare.h"
#include "compare/report/report.h"

namespace npuscope::compare {

/// One comparison; of trees one of several.
struct CiRun {
    std::string name;                ///< "npu.h5 against gpu.h5", "step 0, rank1"
    const Result* result = nullptr;  ///< nullptr: not compared
    std::string problem{};           ///< then: why
    std::string target{};            ///< file of the target
    std::string time{};              ///< when, UTC: "2026-11-23T04:05:06"
};

struct CiReport {
    std::string_view name;     ///< "junit"
    std::string_view summary;  ///< for the help of its option
    /// The runs' parts become one document by `whole`.
    std::string (*part)(const CiRun& run) = nullptr;
    std::string (*whole)(const std::vector<std::string>& parts) = nullptr;
};

#define CI_REPORT(name) extern const CiReport k_##name##_ci_report;
#include "compare/ci/ci_reports.def"
#undef CI_REPORT

[[nodiscard]] std::span<const CiReport* const> all_ci_reports();

/// The findings of a run with what counts; of one without a gate all count.
[[nodiscard]] Gate gate_or_all(const Result& result);
/// "pass", "fail", "undecided" or "nothing compared", by what counts.
[[nodiscard]] std::string_view gated_verdict(const Result& result);

}  // namespace npuscope::compare
