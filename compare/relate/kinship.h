// What two ops are to each other, told by their names.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "compare/relate/listing.h"

namespace npuscope::compare {

/// What one op does, as far as that tells its results from others'.
enum class OpStep : uint8_t {
    kAny,
    // Single steps of arithmetic.
    kSum,
    kDifference,
    kScaling,
    kStatistic,
    kFunction,
    kRepeat,
    // Ops that others take apart.
    kProduct,
    kProductAndSum,
    kNorm,
    kGatedFunction,  ///< x times a function of x
    kRotary,
    kAttention,
    // Their gradients.
    kSumGradient,
    kScalingGradient,
    kStatisticGradient,
    kFirstGradient,  ///< of the step of a norm that takes in x first, so that it adds up the others
    kMeanGradient,   ///< the same, but of an RMS norm's that of the squares
    kProductGradient,
    kNormGradient,
    kRmsNormGradient,
    kGatedGradient,
};

/// Of names of any framework: "add", "aten::add_.Tensor", "Add".
[[nodiscard]] OpStep step_of(std::string_view op);

enum class Kinship : uint8_t {
    /// Different single steps of arithmetic: what is masked is not what is scaled, though they hold
    /// the same where the mask is 0. An op and a step inside of it that is not its last one. The
    /// gradient that flows on from a norm in one op, and that of one of its steps: several of them
    /// take in the same. What a sum passes on, and what others make of it.
    kUnlike,
    kUnknown,
    kAkin,  ///< an op and the step that makes the same where it is taken apart
};

/// Threads: any.
class Kin {
  public:
    Kin(const Source& target, const Source& golden);

    /// Of listed tensors, one of each side; of what is given nothing is known.
    [[nodiscard]] Kinship of(const ListedTensor& target, const ListedTensor& golden) const;
    [[nodiscard]] bool are_unlike(const ListedTensor& target, const ListedTensor& golden) const {
        return of(target, golden) == Kinship::kUnlike;
    }

    /// Whether their ops do the same or are akin, as far as both are known. What is given may be
    /// anything.
    [[nodiscard]] bool may_be_one(const ListedTensor& target, const ListedTensor& golden) const;

  private:
    std::vector<OpStep> targets_;
    std::vector<OpStep> goldens_;
};

}  // namespace npuscope::compare
