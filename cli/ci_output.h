// What a build server takes from `npuscope compare`: findings that are waived or known before, and
// reports in its formats.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/command.h"
#include "compare/ci/ci_report.h"
#include "compare/gate/gate_files.h"
#include "compare/pair_runs.h"

namespace npuscope::cli {

struct CiArguments {
    std::string waivers;
    std::string baseline;
    std::map<std::string, std::string> files;  ///< by report: where it goes; "-": stdout
};

/// Declares --waivers, --baseline and an option for each report.
void add_ci_options(CLI::App& app, CiArguments& arguments);

/// Of one command: gathers the parts of all runs.
class CiOutput {
  public:
    /// Errors: Error(kUsage) more than one text would go to stdout; those of GateFiles.
    CiOutput(const CiArguments& arguments, const Globals& globals);

    /// Sets the result's gate, where one was asked for. `pair` tells the run of a tree. Errors:
    /// those of Baseline.
    void judge(const compare::RunPair& pair, compare::Result& result) const {
        gate_.judge(pair, result);
    }
    void add(const compare::CiRun& run);
    /// Whether stdout is a report's, and nothing else goes there.
    [[nodiscard]] bool takes_stdout() const { return takes_stdout_; }
    /// Writes all. Errors: Error(kIo) of the first that cannot be written, after the others.
    void write() const;

  private:
    const CiArguments& arguments_;
    compare::GateFiles gate_;
    std::map<std::string, std::vector<std::string>> parts_;  ///< by report
    std::string time_;
    bool takes_stdout_ = false;
};

}  // namespace npuscope::cli
