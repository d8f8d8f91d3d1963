// Which slice of a whole holds most of a part's largest elements.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "compare/relate/slices.h"

namespace npuscope::compare {

/// An element of a whole that may be one of a part's largest.
struct Hit {
    size_t top = 0;
    int64_t place = 0;
};

class SliceVotes {
  public:
    /// tops: where in the part its largest elements stand. least: so many of them must lie where a
    /// slice says.
    SliceVotes(std::vector<int64_t> tops, const std::vector<Hit>& hits, size_t least);

    /// Takes the form where one of its slices holds more of them than all before.
    void look_at(const SliceForm& form);

    /// Empty where none holds as many.
    [[nodiscard]] const std::optional<SliceForm>& best() const { return best_; }
    [[nodiscard]] int64_t position() const { return position_; }
    /// That it holds.
    [[nodiscard]] size_t most() const { return most_; }
    /// Of which there are hits at all.
    [[nodiscard]] size_t distinct() const { return distinct_; }

  private:
    /// Adds the votes of hits from `first` on, of the positions in `among` if there are any.
    void count(const SliceForm& form, size_t first, size_t end, const std::vector<int64_t>* among);

    std::vector<int64_t> tops_;  ///< those with the fewest hits first
    std::vector<Hit> hits_;      ///< by top, in that order
    std::vector<size_t> first_;  ///< of each top its first hit; one more at the end
    size_t distinct_ = 0;
    size_t most_;
    std::optional<SliceForm> best_;
    int64_t position_ = 0;
    std::vector<std::pair<int64_t, size_t>> votes_;
};

}  // namespace npuscope::compare
