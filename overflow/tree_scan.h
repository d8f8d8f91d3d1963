// Searches a tree of recordings, one a step and a rank, for the step and rank where overflow began.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/recording/tree.h"
#include "overflow/scan.h"

namespace npuscope::overflow {

struct RunScan {
    RecordedRun run;
    ScanReport report{};
    std::string problem{};  ///< why it could not be scanned; "" when it was
};

struct TreeReport {
    std::filesystem::path tree;
    std::vector<RunScan> runs;  ///< by step, then rank

    /// The first in which something overflowed; nullptr without any.
    [[nodiscard]] const RunScan* first() const;
    [[nodiscard]] bool has_problem() const;
};

/// Errors  none: what a run's reader throws is the run's problem.
[[nodiscard]] TreeReport scan_tree(const std::filesystem::path& tree,
                                   const std::vector<RecordedRun>& runs,
                                   const ScanOptions& options = {});

/// A line for each run, then the whole text of the first in which something overflowed. Ends with a
/// newline.
[[nodiscard]] std::string to_text(const TreeReport& report, bool color, bool all);

/// One object, whose keys docs/json.md lists. Ends with a newline.
[[nodiscard]] std::string to_json(const TreeReport& report);

}  // namespace npuscope::overflow
