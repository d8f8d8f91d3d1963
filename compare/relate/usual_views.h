// How the tensors of one side mostly lie in those of the other.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "compare/relate/matches.h"

namespace npuscope::compare {

/// Learns from pairs whose elements tell it; of tensors whose elements do not, tells what those of
/// the same shapes are, else what permutation of the axes those of as many axes mostly have.
class UsualViews {
  public:
    void learn(const ListedTensor& target,
               const ListedTensor& golden,
               const TensorRelation& relation);
    /// The golden's shape made of the target's elements; empty where nothing is known.
    [[nodiscard]] std::optional<View> of(const Shape& target, const Shape& golden) const;

  private:
    using Votes = std::vector<std::pair<View, int>>;
    std::map<std::pair<Shape, Shape>, Votes> by_shapes_;
    /// By the number of axes on both sides: in which order the golden has the target's, and how
    /// often.
    std::map<size_t, std::map<std::vector<size_t>, int>> orders_;
};

}  // namespace npuscope::compare
