// To how many bits elements are rounded, whatever they are stored in.
#pragma once

#include "core/tensor/element_source.h"

namespace npuscope::compare {

/// The bits of the significand (with the implicit one) that some 4096 elements of it need: 8 where
/// all are numbers of bfloat16, 11 where all are of float16, else those of its dtype; 53 of what is
/// no float. Errors: those of ElementSource.
[[nodiscard]] int bits_in_use(const ElementSource& elements);

/// Whether these elements of a float32 tensor are zeros, ones, or others of few bits, which say
/// nothing of what they were rounded to. Errors: those of ElementSource.
[[nodiscard]] bool holds_simple_numbers(const ElementSource& elements);

}  // namespace npuscope::compare
