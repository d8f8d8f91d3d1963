// Files that say which findings count: waivers, and an earlier result.
#pragma once

#include <filesystem>
#include <memory>

#include "compare/gate/waivers.h"
#include "compare/pair_runs.h"

namespace npuscope::compare {

struct Result;

class GateFiles {
  public:
    /// "" for none. Errors: those of Waivers, and of Baseline.
    GateFiles(const std::filesystem::path& waivers, std::filesystem::path baseline);

    /// Sets the result's gate, where a file was named. `pair` tells the run of a tree. Errors:
    /// those of Baseline.
    void judge(const RunPair& pair, Result& result) const;

  private:
    std::filesystem::path baseline_;
    std::unique_ptr<Waivers> waivers_;
};

}  // namespace npuscope::compare
