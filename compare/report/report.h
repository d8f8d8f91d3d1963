// One row of compare/report/reports.def: a result as text of one format.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/compare.h"

namespace npuscope::compare {

struct ReportOptions {
    std::string target{};  ///< file names, for headings and commands
    std::string golden{};
    bool color = false;        ///< ANSI sequences (terminal)
    bool graphic = false;      ///< the error along the network as a line of blocks (terminal)
    bool worst_first = false;  ///< by severity instead of in the target's order (terminal)
    bool all_ops = false;      ///< all findings, and a table of all ops (terminal)
    /// What the comparison was run with, as name and value (json).
    std::vector<std::pair<std::string, std::string>> options{};
};

struct Report {
    std::string_view name;
    std::string_view file_name;  ///< within an output folder; "" where none is written
    std::string_view summary;
    std::string (*write)(const Result& result, const ReportOptions& options) = nullptr;
};

#define REPORT(name) extern const Report k_##name##_report;
#include "compare/report/reports.def"
#undef REPORT

[[nodiscard]] std::span<const Report* const> all_reports();
/// Errors: Error(kUsage) that lists the names.
[[nodiscard]] const Report& report_named(std::string_view name);

/// Writes every report that has a file name into `folder`, which is made when missing. Each file
/// gets its name only when it is complete. Errors: Error(kIo).
void write_reports(const Result& result,
                   const ReportOptions& options,
                   const std::filesystem::path& folder);

/// "pass", "fail" (any finding), "undecided" (too little was judged), or "nothing compared".
[[nodiscard]] std::string_view overall_verdict(const Result& result);

/// The tensor that decided an op's verdict; nullptr where there is none.
[[nodiscard]] const TensorResult* deciding_tensor(const OpResult& op);

}  // namespace npuscope::compare
