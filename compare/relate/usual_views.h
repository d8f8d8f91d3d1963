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

/// How shards of the first axis make a whole along another, or, where the whole is the target,
/// how it lies in such shards; empty where the shapes do not fit. `axis` is the whole's, which
/// has `parts` of as many elements, each of them cut. `transposed`: the axes stand the other way
/// round.
[[nodiscard]] std::optional<View> view_of_shards(const Shape& shards,
                                                 const Shape& whole,
                                                 size_t axis,
                                                 bool whole_is_target,
                                                 int64_t parts = 1,
                                                 bool transposed = false);

/// Learns from pairs whose elements tell it; of tensors whose elements do not, tells what those of
/// the same shapes are, else what permutation of the axes those of as many axes mostly have.
class UsualViews {
  public:
    void learn(const ListedTensor& target,
               const ListedTensor& golden,
               const TensorRelation& relation);
    /// The golden's shape made of the target's elements; empty where nothing is known, and where
    /// the numels differ.
    [[nodiscard]] std::optional<View> of(const ListedTensor& target,
                                         const ListedTensor& golden) const;
    /// All that are known of pairs of these shapes, the most frequent first; else what of() tells,
    /// and, of shards, the same put together of one, two and three: what is fused of two may have
    /// the shape of what is fused of three.
    [[nodiscard]] std::vector<View> all_of(const ListedTensor& target,
                                           const ListedTensor& golden) const;
    /// Of shapes of other numels: what part the smaller one is of the larger one, where it is
    /// padded or cut, along several axes where each is cut as others are; its views and words alone
    /// are set.
    [[nodiscard]] std::optional<TensorRelation> cut(const Shape& target, const Shape& golden) const;

  private:
    /// Shards that are each a part of one whole tell of how many parts a rank's tensor is put
    /// together that is the same whole.
    void learn_fused(const ListedTensor& target,
                     const ListedTensor& golden,
                     const TensorRelation& relation);

    /// `parts`: of which a rank's tensor is put together; empty: as is known.
    [[nodiscard]] std::optional<View> of_shards(const ListedTensor& target,
                                                const ListedTensor& golden,
                                                std::optional<int64_t> parts = {}) const;

    /// Of what a whole is put together, along this axis, each part cut into such shards.
    [[nodiscard]] int64_t parts_of(const Shape& shards, size_t axis) const;

    using Votes = std::vector<std::pair<View, int>>;
    std::map<std::pair<Shape, Shape>, Votes> by_shapes_;
    std::map<std::pair<Shape, Shape>, TensorRelation> cuts_;
    /// Extents of the axis that is cut: of the whole, of the part, and where it begins.
    std::set<std::array<int64_t, 3>> extents_;
    /// By the number of axes on both sides: in which order the golden has the target's, and how
    /// often.
    std::map<size_t, std::map<std::vector<size_t>, int>> orders_;
    /// Of shards, by the number of a whole's axes: along which one they stand, how often.
    std::map<size_t, std::map<size_t, int>> shard_axes_;
    /// By ranks and the extent of one's shards: of how many parts the whole is put together.
    std::map<std::pair<int64_t, int64_t>, std::map<int64_t, int>> shard_parts_;
};

}  // namespace npuscope::compare
