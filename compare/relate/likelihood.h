// How much speaks for two tensors being the same, beyond their elements: place, graph, names.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "compare/relate/matches.h"
#include "compare/relate/neighbours.h"
#include "compare/relate/roles.h"
#include "compare/relate/source_pair.h"
#include "compare/relate/usual_views.h"

namespace npuscope::compare {

/// What speaks for pairs of free tensors, given the pairs so far. Borrows all. Threads: one at a
/// time.
class Likelihood {
  public:
    /// Below this nothing but chance speaks for a pair.
    static constexpr double kLeast = 1.3;
    /// From here on a pair needs no neighbours that say the same.
    static constexpr double kSure = 2.1;

    Likelihood(const Matches& matches, const SourcePair& sources, const UsualViews& views);

    /// The sum of what speaks for and against; far below 0 where the numels differ. Of tensors of
    /// equal numel.
    [[nodiscard]] double of(size_t target, size_t golden) const;
    /// Whether they have as many elements, or one is a cut of the other as others are.
    [[nodiscard]] bool may_pair(size_t target, size_t golden) const;
    /// Free golden tensors that may pair with it, with a paired neighbour in common.
    [[nodiscard]] std::vector<size_t> candidates(size_t target) const;
    /// Takes in what was paired since.
    void refresh();

  private:
    struct Op {
        std::string kind{};
        std::set<std::string> words{};  ///< of its name and place
    };
    static std::vector<Op> ops_of(const Source& source);
    [[nodiscard]] double elements(size_t target, size_t golden) const;
    /// As it lies in tensors of the other side's shape.
    [[nodiscard]] const Sketch& arranged_sketch(bool of_target,
                                                size_t tensor,
                                                const Shape& other,
                                                const std::optional<View>& view) const;
    /// Whether other tensors with the elements of either have other partners.
    [[nodiscard]] bool is_otherwise_known(size_t target, size_t golden) const;
    /// What either op takes in that is nowhere behind the other.
    [[nodiscard]] static double strangers(const Neighbours& mine,
                                          size_t one,
                                          const Neighbours& theirs,
                                          size_t other);
    [[nodiscard]] static double agreement(const std::vector<size_t>& one,
                                          const std::vector<size_t>& other);

    const Matches& matches_;
    const SourcePair& sources_;
    const UsualViews& views_;
    mutable std::map<std::tuple<bool, size_t, Shape>, Sketch> arranged_;
    std::vector<Op> target_ops_;
    std::vector<Op> golden_ops_;
    Neighbours target_neighbours_;
    Neighbours golden_neighbours_;
    Roles roles_;
    std::unordered_map<size_t, std::vector<size_t>> near_;  ///< free golden tensors by neighbour
};

}  // namespace npuscope::compare
