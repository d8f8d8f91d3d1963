// Calls of recordings that count them by name: a counter may run on over steps.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "core/recording/source.h"

namespace npuscope::compare {

/// Which numbers of calls belong together. Where two sides have the same numbers of a name, a
/// number is itself; where they have as many, or share none, the k-th smallest of a name is the
/// k-th, whatever the pass: "Functional.conv2d.53.backward" is ".0.backward" where the golden
/// begins at 0. Where one side calls a function more often, all later numbers of it are others':
/// the calls of the forward pass are aligned as the ops of two dumps (align.h), and those of such
/// names are what they are there. The ops of a dump beside records of ops (an exported dump) are
/// called as these.
class CallNumbers {
  public:
    CallNumbers(const Source& target, const Source& golden);

    /// What the target's op, or the golden's op that is the same call, is called; its path where it
    /// is no counted call.
    [[nodiscard]] std::string name_of_target(const SourceOp& op) const;
    [[nodiscard]] std::string name_of_golden(const SourceOp& op) const;
    /// Whether both sides are recordings of calls.
    [[nodiscard]] bool counts_calls() const { return counts_calls_; }
    /// Whether the number in the name of the golden's op tells nothing of the target's numbers.
    [[nodiscard]] bool is_renumbered(const SourceOp& golden_op) const;

  private:
    void align(const Source& target, const Source& golden);
    void name_ops(const Source& dump, const Source& records);

    bool counts_calls_ = false;
    std::unordered_map<const SourceOp*, std::string> ops_;  ///< of a dump, as records
    /// By name, the target's number of each of the golden's.
    std::unordered_map<std::string, std::unordered_map<int64_t, int64_t>> renumbered_;
};

}  // namespace npuscope::compare
