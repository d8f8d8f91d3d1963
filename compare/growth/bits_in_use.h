// To how many bits elements are rounded, whatever they are stored in.
#pragma once

#include <optional>

#include "core/tensor/element_source.h"

namespace npuscope::compare {

/// With the implicit one.
inline constexpr int kBitsOfBFloat16 = 8;
inline constexpr int kBitsOfFloat16 = 11;

/// Products may round their operands to so many bits, on chips that do not say so (TF32, HF32).
inline constexpr int kBitsOfOperands = kBitsOfFloat16;

/// The bits of the significand (with the implicit one) that some 4096 elements of it need: 8 where
/// all are numbers of bfloat16, 11 where all are of float16, else those of its dtype; 53 of what is
/// no float. Errors: those of ElementSource.
[[nodiscard]] int bits_in_use(const ElementSource& elements);

/// The same; empty where the elements of a float32 tensor are zeros, ones, or others of few bits,
/// which say nothing of what they were rounded to. Errors: those of ElementSource.
[[nodiscard]] std::optional<int> telling_bits(const ElementSource& elements);

}  // namespace npuscope::compare
