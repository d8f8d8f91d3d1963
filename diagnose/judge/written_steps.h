// Functions that are computed as they are written down, each step rounded to 16 bits.
#pragma once

#include <string_view>

#include "diagnose/judge/number_format.h"
#include "diagnose/judge/op_run.h"

namespace npuscope::diagnose {

/// Whether one of the formulas below is of that op, in place or not.
[[nodiscard]] bool has_written_steps(std::string_view op);

/// Whether nearly all elements of the first result are, to the bit, what one of the function's
/// formulas makes when each of its steps is rounded to that format, while enough of them are
/// another number than the exact one rounded once: of sigmoid, SiLU, GELU and tanh, and of layer
/// norms that give out their mean and deviation. No fault makes just these. Formulas: 1 / (1 +
/// e^-x), x times that, x over the divisor, GELU by tanh or erf with the cube as x x x, ((x - mean)
/// rstd) weight + bias.
[[nodiscard]] bool is_made_in_written_steps(const OpRun& run, const NumberFormat& format);

/// The same where it need not show: the exact elements rounded once may be the same.
[[nodiscard]] bool may_be_made_in_written_steps(const OpRun& run, const NumberFormat& format);

}  // namespace npuscope::diagnose
