#include "compare/dataflow/other_state.h"

#include <cmath>

#include "compare/origins/gradient_scale.h"
#include "core/naming/in_place.h"

namespace npuscope::compare {

namespace {

constexpr double kExactly = 1e-3;
/// Of a state's elements: where so many are the golden's to the bit, no noise made the others.
constexpr double kLeastEqual = 0.5;

/// So many states are the golden's to the bit, and at most this share is not: both sides began with
/// the same ones.
constexpr size_t kLeastOthers = 4;
constexpr double kMostOther = 0.1;
/// Of the norm: what a gradient that was made by ops not recorded may be off by.
constexpr double kFarOff = 0.05;

bool is_large_power_of_two(double number) {
    if (!(number >= kLeastLossScale)) return false;
    const double power = std::log2(number);
    return std::abs(power - std::round(power)) < kExactly;
}

/// What is `distance` off, of its norm, as a multiple.
bool may_be_scale_of_loss(double distance) {
    return is_large_power_of_two(1 + distance) ||
           (distance < 1 && is_large_power_of_two(1 / (1 - distance)));
}

}  // namespace

OtherStates::OtherStates(const PairedFlows& flows) : flows_(flows) {
    size_t all = 0;
    size_t equal = 0;
    for (const InputPair& pair : flows.inputs()) {
        if (!is_state(pair.target, pair.golden) || !flows.golden().tensor(pair.golden).given)
            continue;
        ++all;
        equal += same_content(*flows.target().tensor(pair.target).content,
                              *flows.golden().tensor(pair.golden).content)
                     ? 1
                     : 0;
    }
    are_others_equal_ = equal >= kLeastOthers &&
                        static_cast<double>(all - equal) <= kMostOther * static_cast<double>(all);
}

bool OtherStates::is_state(size_t target, size_t golden) const {
    const TracedTensor& mine = flows_.target().tensor(target);
    const auto& theirs = flows_.golden().tensor(golden).content;
    // Zeros some op makes by chance.
    const bool is_given = !mine.producer || (mine.ambiguous && mine.content->constant);
    return theirs && theirs->tells_order() && mine.content && is_given &&
           calculates_in_place(flows_.target().source.ops[mine.op].id.op) &&
           is_written_over(flows_.target(), mine);
}

bool OtherStates::has(size_t target, size_t golden, const Relation& relation) const {
    if (!is_state(target, golden)) return false;
    const Content& theirs = *flows_.golden().tensor(golden).content;
    if (relation.equal >= kLeastEqual) return !theirs.fits_half && !theirs.fits_bfloat;
    if (relation.likeness == Likeness::kOther)
        return are_others_equal_ && relation.distance > kFarOff;
    return relation.likeness == Likeness::kDerived && !may_be_scale_of_loss(relation.distance);
}

}  // namespace npuscope::compare
