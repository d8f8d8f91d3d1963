// How runs may be cut, which is proven of one run and holds for all like it.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "diagnose/judge/op_run.h"

namespace npuscope::diagnose {

/// Runs are alike where op, shapes, dtypes and all arguments that are no tensors are the same.
/// Threads: any.
class KnownCuts {
  public:
    [[nodiscard]] std::optional<Cut> cut_of(const OpRun& run) const;
    void learn(const OpRun& run, Cut cut);

  private:
    mutable std::mutex guard_;
    std::map<std::string, Cut> cuts_;
};

}  // namespace npuscope::diagnose
