// The golden's program, computed again on the target's numbers: whether two programs that do not
// match make the same.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/recording/source.h"

namespace npuscope::compare {

/// One of the golden's results that has a partner, against what the golden's ops make of the
/// target's numbers: those of the nearest results before it that agree.
struct ReplayedResult {
    size_t pair = 0;     ///< index into Plan::ops
    size_t op = 0;       ///< that made the target's: index into its source
    std::string target;  ///< paths
    std::string golden;
    double off = 0;            ///< |t - r| / |r|, Euclidean; infinity where r is not finite or is 0
    double at_partner = 0;     ///< the same of its partner, where another result is that
    double allowed = 0;        ///< what honest arithmetic leaves of that
    bool is_scaled = false;    ///< but for a loss scale
    bool is_multiple = false;  ///< one number times the other, but for rounding
    bool tells_little = false;  ///< it may well be off by what is allowed and be another one

    [[nodiscard]] bool agrees() const { return off <= allowed; }
    /// Whether what it is made of makes no difference.
    [[nodiscard]] bool proves() const { return agrees() && !tells_little; }
};

/// Results of the golden that no op takes in; constants are none.
struct ReplayedEnds {
    size_t alike = 0;
    size_t apart = 0;
    size_t missing = 0;  ///< the target has them nowhere
};

struct Replay {
    ReplayedEnds ends{};
    ReplayedEnds states{};  ///< of these, what was written over: parameters, an optimizer's states
    /// The golden's ops that some result that agrees is made of.
    std::unordered_set<const SourceOp*> settled{};
    std::unordered_set<const SourceOp*> unknown{};  ///< the golden's ops that nobody can compute
    /// The golden's ops of which some result does not agree, and that an end that is apart is made
    /// of.
    std::unordered_set<const SourceOp*> apart{};
    /// The golden's ops of which some result is surely not what they make of the target's numbers,
    /// whatever is made of it.
    std::unordered_set<const SourceOp*> unlike{};
    /// The golden's ops that the target computes otherwise, and whose difference goes on to the
    /// ends, where coarse arithmetic allows for it.
    std::unordered_set<const SourceOp*> lasting{};
    /// Ops of which the target's results are multiples, or that have no partner and scale, and
    /// whose difference is gone in all that is made of them.
    std::unordered_set<const SourceOp*> made_good{};
    /// The target's ops between results that agree, where arithmetic leaves so little that they
    /// must be steps of the golden's op that stands for all of them, or where that op is of another
    /// kind.
    std::unordered_set<const SourceOp*> explained{};
    /// How far off the partners' results are from those of the golden's ops, the worst of each.
    std::unordered_map<const SourceOp*, double> off{};
    /// All of the target's arithmetic is float32's at least: what an op changes by a hundredth is
    /// not within what rounding may leave.
    bool is_fine = false;
    size_t held = 0;          ///< results that were held against the target's
    size_t unproven = 0;      ///< that could not be: what they are made of is the target's on trust
    size_t computed = 0;      ///< the golden's ops whose results are known
    size_t not_computed = 0;  ///< that nobody can compute
    std::vector<std::string> missing_states{};  ///< their paths
    /// The first result, in the golden's order, that does not agree and that such an end is made
    /// of.
    std::optional<ReplayedResult> first_apart{};
    /// The ops between the results that agree and it, its own last.
    std::vector<const SourceOp*> target_ops{};
    std::vector<const SourceOp*> golden_ops{};
};

}  // namespace npuscope::compare
