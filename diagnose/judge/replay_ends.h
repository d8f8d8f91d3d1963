// What the golden's results say together, each of them held against what its program makes of the
// target's numbers.
#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compare/dataflow/paired_flows.h"
#include "compare/replay.h"

namespace npuscope::diagnose {

/// Of the golden's results, by their index into its flow.
struct ReplayedResults {
    std::unordered_map<size_t, compare::ReplayedResult> judged{};
    std::unordered_set<std::string> agreeing{};  ///< the target's tensors that some agree with
    std::unordered_set<size_t> found{};          ///< ends without partner that the target has
    std::vector<size_t> found_ops{};       ///< the target's that made these, if is_no_chance()
    std::unordered_set<size_t> unknown{};  ///< that nobody can compute
    std::unordered_set<size_t> used{};     ///< that some op takes in
    std::unordered_set<const SourceOp*> unknown_ops{};  ///< of the golden, that nobody can compute
    size_t unproven = 0;                                ///< with a partner, but taken on trust
    size_t computed = 0;                                ///< ops whose results are known
    size_t not_computed = 0;

    [[nodiscard]] bool agrees(size_t result) const {
        const auto own = judged.find(result);
        return own != judged.end() && own->second.agrees();
    }
    [[nodiscard]] bool proves(size_t result) const {
        const auto own = judged.find(result);
        return own != judged.end() && own->second.proves();
    }
};

/// Whether no op takes in the result, and it tells something of the program: floats, no constant,
/// nothing that is drawn at random or that a cast shows.
[[nodiscard]] bool is_end(const compare::Side& golden,
                          const ReplayedResults& results,
                          size_t result);

/// Whether a tensor that is off from what the result is to be by `honest`, as a share of the norm,
/// is it for sure, wherever it was found.
[[nodiscard]] bool is_no_chance(const compare::TracedTensor& result, double honest);

/// Of whole numbers beside floats of the op that agree: which of several equal elements was chosen.
/// The op's own judgement holds them to that.
[[nodiscard]] bool stands_beside_agreeing(const compare::Side& golden,
                                          const ReplayedResults& results,
                                          size_t result);

/// The target's ops between those of its tensors that agree and one of its ops, itself included.
[[nodiscard]] std::set<size_t> ops_between(const compare::Side& target,
                                           const std::unordered_set<std::string>& agreeing,
                                           size_t last);

/// Of results with the same elements an input is taken for the last one, though a list may take in
/// all: takes those for used whose like of the same op, later, is.
void use_twins(const compare::Side& golden, ReplayedResults& results);

/// What several ops of the target in float32 make of one of the golden's may be off by more than
/// one op leaves: lets so much pass.
void allow_for_steps(const compare::Side& target,
                     const ReplayedResults& results,
                     compare::ReplayedResult& judged);

[[nodiscard]] compare::Replay replay_of(const compare::PairedFlows& flows,
                                        const ReplayedResults& results);

}  // namespace npuscope::diagnose
