// The tensors of a pair, also where one side runs several ops for one of the other.
#pragma once

#include <vector>

#include "compare/match.h"
#include "core/recording/source.h"

namespace npuscope::compare {

struct BothTensors {
    std::vector<SourceTensor> target;
    std::vector<SourceTensor> golden;
};

/// What the ties of a pair say, one each. Of others what both ops load. Where one side computes a
/// product and adds the bias in two ops, or by `linear`, only what both sides have, under the names
/// of the op that computes both, in the golden's shapes: the outputs, the operands (a `linear`
/// keeps its weight transposed: it is left out), the bias. Inputs of as many rows as long have the
/// golden's shape where only inputs differ in theirs. What attention takes in or
/// gives out, padded with zeros on one side alone, has the other's shape. Both ops are there.
/// Errors: those of SourceOp::load.
[[nodiscard]] BothTensors tensors_of(const OpPair& pair);

}  // namespace npuscope::compare
