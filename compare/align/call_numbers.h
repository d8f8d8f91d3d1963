// Calls of recordings that count them by name: a counter may run on over steps.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "core/recording/source.h"

namespace npuscope::compare {

/// Which numbers of calls belong together. Where two sides have the same numbers of a name, or
/// share some and not as many, a number is itself; else the k-th smallest of a name is the k-th,
/// whatever the pass: "Functional.conv2d.53.backward" is ".0.backward" where the golden begins at
/// 0. The ops of a dump beside records of ops (an exported dump) are called as these.
class CallNumbers {
  public:
    CallNumbers(const Source& target, const Source& golden);

    /// What the target's op, or the golden's op that is the same call, is called; its path where it
    /// is no counted call.
    [[nodiscard]] std::string name_of_target(const SourceOp& op) const;
    [[nodiscard]] std::string name_of_golden(const SourceOp& op) const;

  private:
    void name_ops(const Source& dump, const Source& records);

    std::unordered_map<const SourceOp*, std::string> ops_;  ///< of a dump, as records
    /// By name, the target's number of each of the golden's.
    std::unordered_map<std::string, std::unordered_map<int64_t, int64_t>> renumbered_;
};

}  // namespace npuscope::compare
