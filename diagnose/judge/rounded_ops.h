// Ops of float32 results whose numbers are of a 16-bit format, among others whose are not.
#pragma once

#include "diagnose/judge/ops_apart.h"

namespace npuscope::diagnose {

/// As ops_apart(), of a group of float32 results that are no products, whose class is `found`.
[[nodiscard]] OpsApart rounded_apart(ArithmeticSamples& samples,
                                     const ArithmeticGroup& group,
                                     const InferredArithmetic& found);

}  // namespace npuscope::diagnose
