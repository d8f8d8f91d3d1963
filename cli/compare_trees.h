// `npuscope compare` on trees: every step and rank in its turn, and what they say together.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "compare/compare.h"
#include "compare/pair_runs.h"

namespace npuscope::cli {

/// What comparing one run of each side gave.
struct ComparedRuns {
    int exit_code = 0;
    std::string verdict;
    std::string first;     ///< path of the first culprit; "" without one
    std::string report;    ///< what is printed: text, or one JSON object
    std::string document;  ///< that object, where it is printed or a page shows it; else ""
    std::vector<std::string> notes;
};

/// "Functional.conv2d.0.forward" of a result with culprits.
[[nodiscard]] std::string first_path(const compare::Result& result);

/// To stderr.
void print_notes(const ComparedRuns& compared);

struct ComparedTrees {
    std::string target;
    std::string golden;
    std::string output;      ///< a folder, in which each pair gets one; "" for none
    std::string html;        ///< file for a page of all; "" for none
    bool is_silent = false;  ///< nothing is printed on stdout
};

/// Is told of a pair that was not compared: why.
using NotCompared = std::function<void(const compare::RunPair&, const std::string& problem)>;

/// Calls `one` for each pair that both sides have, with the folder for its reports, and prints all:
/// reports under headings and a line for each pair, or one JSON object (docs/verdicts.md). A pair
/// that cannot be compared is told, and the others go on. Returns the exit code: 1 with any
/// finding, a run that one side lacks being one; else 2 where a pair could not be compared or
/// judged; else 0.
int compare_trees(
    const std::vector<compare::RunPair>& pairs,
    const ComparedTrees& trees,
    const std::function<ComparedRuns(const compare::RunPair&, const std::string& output)>& one,
    const NotCompared& not_compared,
    const Globals& globals);

}  // namespace npuscope::cli
