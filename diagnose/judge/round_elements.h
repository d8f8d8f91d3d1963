// Rounding of many elements to a format: the same as NumberFormat's functions one by one, in loops
// that compilers turn into vectors.
#pragma once

#include <span>

#include "diagnose/judge/number_format.h"

namespace npuscope::diagnose {

/// To nearest, ties to even; beyond the largest number: infinity.
void round_elements(std::span<double> elements, const NumberFormat& format);
/// To nearest, ties away from zero.
void round_elements_away(std::span<double> elements, const NumberFormat& format);
/// Toward zero; of what is beyond the largest number, as if exponents went on.
void truncate_elements(std::span<double> elements, const NumberFormat& format);

}  // namespace npuscope::diagnose
