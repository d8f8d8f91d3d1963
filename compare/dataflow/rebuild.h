// What a target's op took in, where the target holds outputs only.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "compare/dataflow/paired_flows.h"
#include "compare/dataflow/view.h"

namespace npuscope::compare {

/// Where the elements of a rebuilt input come from.
enum class Rebuilt : uint8_t {
    kUnknown,  ///< nobody can tell: no elements
    kGiven,    ///< the golden's own: nobody computes it
    kMade,     ///< the golden's view of what the target's op made
    kCast,     ///< one of these, cast to 16 bits by the target alone
};

struct RebuiltInput {
    std::string argument;  ///< the golden's
    std::string golden;    ///< its path
    Rebuilt origin = Rebuilt::kUnknown;
    std::string producer{};  ///< of kMade and kCast: the target's tensor, "/relu/31/output/result"
    std::optional<Tensor> tensor{};  ///< empty where unknown; of the golden input's shape
};

/// Rebuilds inputs from the golden's dataflow. Borrows the flows.
class InputRebuilder {
  public:
    /// Searches once for what the golden's inputs are parts of. Complexity: one more pass over its
    /// outputs.
    explicit InputRebuilder(PairedFlows& flows, int threads = 0);

    /// The inputs of the golden op of a pair, tensors only, in its order. A running statistic is
    /// the golden's, but where a step before may have moved it and the op reads it; plain elements
    /// that an op may have made are unknown unless the target's partner holds the same. An op that
    /// gives out 16-bit numbers takes in what the target cast to them, where it did. Reads the
    /// golden's input and its producer once, the target's at each call. Errors: none; what cannot
    /// be read is unknown. Threads: one at a time.
    [[nodiscard]] std::vector<RebuiltInput> inputs_of(size_t pair);

    /// The same, but for what the golden's op was given in the step of training before, where a
    /// step that is not recorded made that of it; empty where it was given no such tensor.
    /// Errors: Error when elements cannot be read.
    [[nodiscard]] std::vector<RebuiltInput> inputs_before_step(size_t pair);

    /// The golden's view of one input, found once; empty where it is no view that is sure.
    /// Errors: Error when elements cannot be read.
    [[nodiscard]] const std::optional<View>& view_of(size_t golden_input);

    /// What ops take in of the target's tensor `producer`, those behind the op that made `instead`
    /// take in of that.
    void take_instead(const std::string& producer, size_t instead) { instead_[producer] = instead; }
    void forget_instead(const std::string& producer) { instead_.erase(producer); }

    /// "gradients: 1024 times the golden's from /nll_loss_backward/103 on, …" where an op was given
    /// that much for the golden's 1; else "". Of the inputs asked for so far.
    [[nodiscard]] const std::string& scale_text() const { return scale_text_; }

  private:
    [[nodiscard]] RebuiltInput rebuild(size_t golden_input, bool trains);
    /// Of a running statistic: a norm in training ran before, and it is not what another run of
    /// that shape was given.
    [[nodiscard]] bool was_moved(const TracedTensor& input) const;
    [[nodiscard]] std::optional<Tensor> made(const TracedTensor& input,
                                             size_t index,
                                             size_t partner);

    /// Whether the golden computed the same in an op before, and the target did not: nobody can
    /// tell which of the two the op takes in.
    [[nodiscard]] bool may_be_another(const TracedTensor& input, size_t partner) const;
    void take_extra(const OpPair& pair, size_t golden_input, RebuiltInput& rebuilt);
    [[nodiscard]] bool gives_16_bits(const OpPair& pair) const;
    /// Of a view or cast, the golden input that it shows.
    [[nodiscard]] std::optional<size_t> shown_by(size_t producer) const;
    [[nodiscard]] std::optional<Tensor> made_wider(size_t golden_input, size_t producer);
    /// What the golden only looks at the target may have cast to 16 bits on the way to some ops:
    /// one that gives out wider numbers (a residual sum, a step of an optimizer) takes in what was
    /// cast.
    void take_wider(const OpPair& pair, size_t golden_input, RebuiltInput& rebuilt);
    /// How many times the golden's its results are, a power of two; 1 where they are not.
    [[nodiscard]] double scale_of_results(const OpPair& pair) const;
    /// The gradient of the loss, 1, which the target multiplied before it went back.
    void take_scale(const OpPair& pair, size_t golden_input, RebuiltInput& rebuilt);
    /// As PairedFlows::made_by_target(), or of what casts that the target does not have were given.
    [[nodiscard]] std::optional<size_t> made_before_casts(size_t golden_output, size_t op) const;
    /// Of what is full of a number that the golden made: of the number that the target made.
    void take_number(const TracedTensor& input, RebuiltInput& rebuilt) const;
    /// As the target cast it to 16 bits before an op that gives out 16-bit numbers.
    void round_as_cast(const OpPair& pair, RebuiltInput& rebuilt) const;
    /// Whether it casts what that tensor of the target holds, in its order: what is in another
    /// order before the cast (a flip) is something else.
    [[nodiscard]] bool is_cast_of(size_t cast, DType narrow, const std::string& producer) const;
    /// What such a cast before the target's op made, if there is one.
    bool take_cast(size_t op, DType narrow, RebuiltInput& rebuilt) const;

    PairedFlows& flows_;
    std::unordered_map<size_t, std::optional<View>> views_;
    size_t first_training_;  ///< of the golden's ops, one that moves statistics
    std::string scale_text_{};
    std::unordered_map<std::string, size_t> instead_{};  ///< the target's tensor, by path
    /// Results of the target's own casts to 16 bits, by Content::sequence.
    std::unordered_multimap<uint64_t, size_t> casts_;
    std::unordered_map<uint64_t, size_t> shown_casts_{};  ///< the first of each, by Content::bag
};

}  // namespace npuscope::compare
