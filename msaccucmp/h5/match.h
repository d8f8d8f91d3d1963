// Which golden tensor belongs to which of my tensors, by the reference tool's rules.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "msaccucmp/h5/dump_index.h"

namespace npuscope::msaccucmp {

/// A golden op or tensor that none of my tensors was matched with.
struct Unmatched {
    int64_t index = 0;
    std::string op;    ///< my op's name or "NaN"
    std::string path;  ///< golden
};

/// Threads: const calls may run at once. What is borrowed: both indexes.
class Matcher {
  public:
    Matcher(const DumpIndex& my, const DumpIndex& golden) : my_(my), golden_(golden) {}

    /// Neither file's inputs are compared, and seqids are the same on both sides.
    [[nodiscard]] bool load_mode() const { return !my_.has_inputs(); }
    /// nullptr when there is no partner.
    [[nodiscard]] const Dataset* golden_of(const Run& my_run, const Dataset& dataset) const;
    [[nodiscard]] std::vector<Unmatched> unmatched_golden() const;

  private:
    /// `device` decides what "Npu" becomes; empty or the NPU's looks partners up on my side.
    [[nodiscard]] RunName mapped(const RunName& name, std::optional<int64_t> device) const;
    [[nodiscard]] const Dataset* partner(const RunName& source,
                                         int64_t source_order,
                                         const std::string& source_path,
                                         const DumpIndex& target,
                                         const RunName& target_name) const;
    void add_unmatched(const Run& run, std::vector<Unmatched>& all) const;

    const DumpIndex& my_;
    const DumpIndex& golden_;
};

}  // namespace npuscope::msaccucmp
