// How much speaks for two tensors being the same, beyond their elements: place, graph, names.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "compare/relate/moved.h"
#include "compare/relate/usual_views.h"

namespace npuscope::compare {

/// What speaks for pairs of free tensors, given the pairs so far. Borrows all. Threads: one at a
/// time.
class Likelihood {
  public:
    /// Below this nothing but chance speaks for a pair.
    static constexpr double kLeast = 1.2;
    /// From here on a pair needs no neighbours that say the same.
    static constexpr double kSure = 2.1;

    Likelihood(const Matches& matches, const SourcePair& sources, const UsualViews& views);

    /// The sum of what speaks for and against; far below 0 where the numels differ. Of tensors of
    /// equal numel.
    [[nodiscard]] double of(size_t target, size_t golden) const;
    /// Free golden tensors that ops next to the target's tensor point at.
    [[nodiscard]] std::vector<size_t> candidates(size_t target) const;

  private:
    struct Op {
        std::string kind{};
        std::set<std::string> words{};  ///< of its name and place
    };
    static std::vector<Op> ops_of(const Source& source);
    [[nodiscard]] double elements(size_t target, size_t golden) const;
    /// The target's, as it lies in tensors of the golden's shape.
    [[nodiscard]] const Sketch& arranged_sketch(size_t target, const Shape& golden) const;
    [[nodiscard]] double makers(size_t target_op, size_t golden_op) const;
    [[nodiscard]] double users(size_t target, size_t golden) const;
    [[nodiscard]] int64_t links(size_t target_op, size_t golden_op) const;
    [[nodiscard]] bool has_pairs(size_t op, bool of_target) const;
    /// Golden ops that have tensors whose partners `op` has.
    [[nodiscard]] std::vector<size_t> linked(size_t op) const;

    const Matches& matches_;
    const SourcePair& sources_;
    const UsualViews& views_;
    mutable std::map<std::pair<size_t, Shape>, Sketch> arranged_;
    std::vector<Op> target_ops_;
    std::vector<Op> golden_ops_;
    std::vector<std::vector<size_t>> golden_ops_of_;  ///< ops that have a golden tensor
};

}  // namespace npuscope::compare
