// Parts of recorded tensors that a user wants left out: padding, tails, what no program reads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/pattern.h"
#include "core/recording/source.h"
#include "core/tensor/ignored_elements.h"

namespace npuscope {

struct IgnoredRegion {
    Pattern tensor;  ///< found in its path
    Slice slice;
    std::string dtype{};  ///< "": any

    /// "/softmax/.*output[..., -3:]"
    [[nodiscard]] std::string text() const { return tensor.text() + slice.text(); }
};

class IgnoredRegions {
  public:
    void add(IgnoredRegion region) { rows_.push_back(std::move(region)); }
    /// "REGEX[SLICE]": the last brackets are the slice. Errors: Error(kUsage).
    void add(const std::string& text);
    void add(const IgnoredRegions& others);

    [[nodiscard]] bool empty() const { return rows_.empty(); }
    [[nodiscard]] const std::vector<IgnoredRegion>& rows() const { return rows_; }

  private:
    std::vector<IgnoredRegion> rows_;
};

/// What the regions met. A tensor that is asked for again is counted once. Threads: one.
class IgnoredTally {
  public:
    /// Borrows them.
    explicit IgnoredTally(const IgnoredRegions& regions)
        : regions_(regions), met_(regions.rows().size()) {}

    /// What is ignored of a tensor, that another run may call by `other` path; nullptr: nothing.
    [[nodiscard]] std::shared_ptr<const IgnoredElements> of(const SourceTensor& tensor,
                                                            const std::string& other);
    /// A line for each region that is of no tensor, or lies outside some.
    [[nodiscard]] std::vector<std::string> notes() const;

  private:
    struct Met {
        int64_t tensors = 0;
        int64_t outside = 0;          ///< of these
        std::string first_outside{};  ///< "/mm/1/output/out [3,4]"
    };
    const IgnoredRegions& regions_;
    std::vector<Met> met_;
    std::unordered_map<std::string, std::shared_ptr<const IgnoredElements>> known_;  ///< by paths
};

/// Every tensor that the source loads from now on is told what of it is ignored. `ignored_of` is
/// called by several threads, and nullptr is nothing.
void ignore_in(
    Source& source,
    std::function<std::shared_ptr<const IgnoredElements>(const SourceTensor&)> ignored_of);

}  // namespace npuscope
