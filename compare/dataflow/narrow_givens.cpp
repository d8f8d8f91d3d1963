#include "compare/dataflow/narrow_givens.h"

#include <set>

#include <fmt/format.h>

#include "compare/dataflow/differing_outputs.h"
#include "compare/dataflow/input_roles.h"
#include "compare/dataflow/traced_numbers.h"

namespace npuscope::compare {

namespace {

/// So many parameters tell, and this share of them at least.
constexpr size_t kFewestParameters = 3;
constexpr double kNearlyAll = 0.9;
/// A share.
constexpr double kFew = 0.25;

/// Of the tensors that no op made, where the golden's are no numbers of 16 bits.
struct NarrowGivens {
    std::set<size_t> all{};  ///< the golden's
    std::set<size_t> narrow{};
    bool are_bfloat = true;  ///< else float16

    [[nodiscard]] double share() const {
        return static_cast<double>(narrow.size()) / static_cast<double>(all.size());
    }
};

template <class Counts>
NarrowGivens narrow_givens(const PairedFlows& flows, const Counts& counts) {
    NarrowGivens found;
    for (const InputPair& pair : flows.inputs()) {
        const TracedTensor& mine = flows.target().tensor(pair.target);
        const TracedTensor& theirs = flows.golden().tensor(pair.golden);
        if (!theirs.given || mine.producer || !theirs.content->tells_order() ||
            holds_16_bits(theirs) || !counts(pair, mine, theirs))
            continue;
        found.all.insert(*theirs.given);
        if (!holds_16_bits(mine)) continue;
        found.narrow.insert(*theirs.given);
        found.are_bfloat = found.are_bfloat && mine.content->fits_bfloat;
    }
    return found;
}

}  // namespace

std::string narrow_steps_remark(const PairedFlows& flows) {
    const auto backward = first_backward_of(flows);
    if (!backward) return "";
    const NarrowGivens found = narrow_givens(
        flows, [&](const InputPair& pair, const TracedTensor& mine, const TracedTensor& theirs) {
            return pair.pair >= *backward && !same_content(*mine.content, *theirs.content) &&
                   takes_parameter(flows.target(), mine);
        });
    if (found.narrow.size() < kFewestParameters || found.share() < kNearlyAll) return "";
    return fmt::format(
        "{} of {} parameters hold {} numbers after a step of training, as the "
        "target's optimizer writes them, and the golden's hold wider ones; no "
        "finding: each op was judged on what it was given",
        found.narrow.size(),
        found.all.size(),
        found.are_bfloat ? "bfloat16" : "float16");
}

bool are_few_givens_narrow(const PairedFlows& flows) {
    const NarrowGivens found = narrow_givens(
        flows, [](const InputPair&, const TracedTensor&, const TracedTensor&) { return true; });
    return !found.narrow.empty() && found.share() <= kFew;
}

}  // namespace npuscope::compare
