// Two traced sources whose ops and tensors are paired.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "compare/dataflow/trace.h"
#include "compare/match.h"

namespace npuscope::compare {

/// Borrows both. Searching for parts adds to the flow.
struct Side {
    const Source& source;
    Dataflow& flow;

    [[nodiscard]] const TracedTensor& tensor(size_t index) const { return flow.tensors[index]; }
    /// Of an op of the source.
    [[nodiscard]] std::span<const TracedTensor> of_op(const SourceOp& op) const {
        return flow.of_op(static_cast<size_t>(&op - source.ops.data()));
    }
};

/// Whether the op of the input gives out that tensor as well: it works in place.
[[nodiscard]] bool is_written_over(const Side& side, const TracedTensor& input);
/// The input of its op that a result was written over; nullptr of what is no such result.
[[nodiscard]] const TracedTensor* written_over(const Side& side, const TracedTensor& result);
/// What no op had made and stood where the result stands, through all that wrote over it: a
/// parameter, an optimizer's state; nullptr without.
[[nodiscard]] const TracedTensor* state_before(const Side& side, const TracedTensor& result);

/// One input of a pair of ops, as indices into both flows' tensors.
struct InputPair {
    size_t pair = 0;  ///< index into Plan::ops
    size_t target = 0;
    size_t golden = 0;
};

/// Two sides and how they are paired. Borrows all.
class PairedFlows {
  public:
    /// Ops whose tensors cannot be listed have no pairs.
    PairedFlows(const Plan& plan, Side target, Side golden);

    [[nodiscard]] const Plan& plan() const { return plan_; }
    [[nodiscard]] const Side& target() const { return target_; }
    [[nodiscard]] const Side& golden() const { return golden_; }
    /// Inputs with elements on both sides, in the target's order.
    [[nodiscard]] const std::vector<InputPair>& inputs() const { return inputs_; }
    /// The target's tensor that the golden's tensor is paired with; empty without one, and where no
    /// tensor has elements.
    [[nodiscard]] std::optional<size_t> partner_of(size_t golden) const;

    /// The golden's outputs with the elements of one of them, in whatever order, itself included.
    [[nodiscard]] std::vector<size_t> copies_of(size_t golden_output) const;
    /// The target's output for one of the golden's: its partner; where it has none, that of the
    /// latest copy in the same order that an op before `op` of the golden made.
    [[nodiscard]] std::optional<size_t> made_by_target(size_t golden_output, size_t op) const;

    /// " (blocks.1.o, net.py:20)", "" where nothing is known of the pair's place in the program.
    [[nodiscard]] std::string place_of(size_t pair) const;
    /// Of either side: the autograd node that ran it, "" in the forward pass or where nobody knows.
    [[nodiscard]] std::string autograd_of(size_t pair) const;
    /// What a side records of its argument `training` or `train`; empty where neither does.
    [[nodiscard]] std::optional<bool> trains(size_t pair) const;
    /// Whether a side has tensors of which only statistics were recorded.
    [[nodiscard]] bool has_statistics() const;
    /// Whether the target's op is paired.
    [[nodiscard]] bool is_paired(size_t target_op) const { return paired_[target_op]; }

  private:
    void pair_op(size_t pair);

    const Plan& plan_;
    Side target_;
    Side golden_;
    std::vector<InputPair> inputs_;
    std::vector<std::optional<size_t>> partners_;
    std::vector<bool> paired_;                               ///< by the target's op
    std::unordered_multimap<uint64_t, size_t> made_;         ///< the golden's outputs by their bags
    bool has_content_;                                       ///< of any tensor, on either side
    std::unordered_map<std::string, size_t> target_places_;  ///< tensors by their paths
    std::unordered_map<std::string, size_t> golden_places_;
};

}  // namespace npuscope::compare
