#include "compare/dataflow/other_state.h"

#include <cmath>

#include "compare/origins/gradient_scale.h"
#include "core/naming/in_place.h"

namespace npuscope::compare {

namespace {

constexpr double kExactly = 1e-3;
/// Of a state's elements: where so many are the golden's to the bit, no noise made the others.
constexpr double kLeastEqual = 0.5;

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

bool is_other_state(const PairedFlows& flows,
                    size_t target,
                    size_t golden,
                    const Relation& relation) {
    const TracedTensor& mine = flows.target().tensor(target);
    const Content& theirs = *flows.golden().tensor(golden).content;
    if (!theirs.tells_order() || mine.producer ||
        !calculates_in_place(flows.target().source.ops[mine.op].id.op) ||
        !is_written_over(flows.target(), mine))
        return false;
    if (relation.equal >= kLeastEqual) return !theirs.fits_half && !theirs.fits_bfloat;
    return relation.likeness == Likeness::kDerived && !may_be_scale_of_loss(relation.distance);
}

}  // namespace npuscope::compare
