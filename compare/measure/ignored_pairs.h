// What of two sources' tensors is ignored: the same elements on both sides.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "compare/match.h"
#include "core/recording/ignored_regions.h"

namespace npuscope::compare {

class IgnoredPairs {
  public:
    /// Borrows the regions.
    explicit IgnoredPairs(const IgnoredRegions& regions) : tally_(regions) {}

    /// A source whose tensors know it, once find() was called; one a side. The original must
    /// outlive it.
    [[nodiscard]] Source target(const Source& plain) const { return marked(plain, target_); }
    [[nodiscard]] Source golden(const Source& plain) const { return marked(plain, golden_); }
    /// Goes through the tensors of a plan over these. A region is of a pair where it fits the path
    /// on either side; its slice counts in the target's shape. Threads: one.
    void find(const Plan& plan, bool both_dumps);
    [[nodiscard]] std::vector<std::string> notes() const { return tally_.notes(); }

  private:
    using ByPath = std::unordered_map<std::string, std::shared_ptr<const IgnoredElements>>;
    [[nodiscard]] static Source marked(const Source& plain, const std::shared_ptr<ByPath>& found);
    void take(const TensorPair& pair);

    IgnoredTally tally_;
    // Shared with the sources' closures.
    std::shared_ptr<ByPath> target_ = std::make_shared<ByPath>();
    std::shared_ptr<ByPath> golden_ = std::make_shared<ByPath>();
};

}  // namespace npuscope::compare
