// Of a result that is apart in a replay: what explains it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>

#include "compare/compare.h"
#include "compare/dataflow/paired_flows.h"
#include "compare/replay.h"
#include "compare/verdict.h"

namespace npuscope::compare {

/// An op, by its place in the plan, and what is said of it.
struct Cause {
    size_t place = 0;
    std::string text;
};

/// Whether both sides have the op, and it takes in the same tensors: those that made the target's
/// are the partners of those that made the golden's.
[[nodiscard]] bool take_in_partners(const PairedFlows& flows, const OpPair& pair);

/// Whether `tensor`, a path of the target that no op made, is another one than the golden's op was
/// given for sure, and not paired with it by chance: all else that the two ops of one kind take in
/// is the same, and the target has the golden's nowhere.
[[nodiscard]] bool is_another_given(const PairedFlows& flows,
                                    const OpPair& pair,
                                    const OpResult& op,
                                    const std::string& tensor);

/// Whether an op that both sides have and whose own arithmetic is at fault stands before the result
/// that is apart, or makes it; empty without any.
[[nodiscard]] std::optional<bool> are_faults_before(const Plan& plan,
                                                    const Result& result,
                                                    const ReplayedResult& apart);

/// Among the ops that are apart, one of another shape and the numbers that it alone was called
/// with. `places` are those of the plan's ops.
[[nodiscard]] std::optional<Cause> called_otherwise(
    const Plan& plan,
    const Result& result,
    const Replay& replay,
    const std::unordered_map<const SourceOp*, size_t>& places);

/// Of results that are made of a gradient that the golden alone sums: the first pair before of
/// which the golden's op alone adds a bias.
[[nodiscard]] std::optional<Cause> missing_bias(
    const Plan& plan,
    const PairedFlows& flows,
    const Replay& replay,
    const std::unordered_map<const SourceOp*, size_t>& places);

}  // namespace npuscope::compare
