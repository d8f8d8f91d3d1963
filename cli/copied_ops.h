// What `npuscope extract` says of the ops that it copies.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "core/recording/tree.h"

namespace npuscope::cli {

/// The copies into one dump.
struct CopiedOps {
    std::string output{};                                      ///< the dump
    std::vector<std::pair<std::string, std::string>> pairs{};  ///< from, to; kept for --json
    RecordedRun run{};  ///< of a recording of several runs: which one

    /// Tells the copy on standard error with -v.
    void add(const std::string& from, const std::string& to, const Globals& globals);

    /// "copied 3 objects to op.h5", unless --json or -q was given.
    void print_count(int64_t ops, const Globals& globals) const;
};

/// With --json: {"output", "copied": [{"from", "to"}, …], "version"}. Bytes that are no UTF-8 are
/// replaced.
void print_json_of_copies(const CopiedOps& copied, const Globals& globals);

/// With --json: {"output", "runs": [{"output", "copied", "step", "rank"}, …], "version"}.
void print_json_of_copies(const std::string& folder,
                          std::span<const CopiedOps> runs,
                          const Globals& globals);

}  // namespace npuscope::cli
