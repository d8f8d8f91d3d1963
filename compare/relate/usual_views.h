// How the tensors of one side mostly lie in those of the other.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
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
    /// The golden's shape made of the target's elements; empty where nothing is known, and where
    /// the numels differ.
    [[nodiscard]] std::optional<View> of(const Shape& target, const Shape& golden) const;
    /// Of shapes of other numels: what part the smaller one is of the larger one, where it is
    /// padded or cut, along several axes where each is cut as others are; its views and words alone
    /// are set.
    [[nodiscard]] std::optional<TensorRelation> cut(const Shape& target, const Shape& golden) const;

  private:
    using Votes = std::vector<std::pair<View, int>>;
    std::map<std::pair<Shape, Shape>, Votes> by_shapes_;
    std::map<std::pair<Shape, Shape>, TensorRelation> cuts_;
    /// Extents of the axis that is cut: of the whole, of the part, and where it begins.
    std::set<std::array<int64_t, 3>> extents_;
    /// By the number of axes on both sides: in which order the golden has the target's, and how
    /// often.
    std::map<size_t, std::map<std::vector<size_t>, int>> orders_;
};

}  // namespace npuscope::compare
