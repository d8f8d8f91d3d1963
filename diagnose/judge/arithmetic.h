// Classes of honest arithmetic: what a chip's products and its vector ops may make of exact
// inputs, one row a class.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "diagnose/judge/number_format.h"

namespace npuscope::diagnose {

/// How a class of products rounds its operands.
enum class OperandRounding : uint8_t {
    kNone,
    kNearest,    ///< to `operands`: emulated exactly
    kAway,       ///< to nearest, ties away from zero: emulated exactly
    kTruncated,  ///< toward zero: emulated exactly
    kFlushed,    ///< to nearest, subnormal results to zero: emulated exactly
    kSaturated,  ///< to nearest, what leaves the range to the largest number: emulated exactly
    kQuantized,  ///< to 8-bit integers, the largest of a tensor to 127: emulated exactly
    kSomehow,    ///< to `operands` by an unknown rule: bounded
    kScaled,     ///< to 8-bit integers with one scale a tensor: bounded
};

/// A class of matrix products and convolutions. Stages are tried in their order, and inside a stage
/// the class that fits a file's products best is taken.
struct ProductClass {
    std::string_view name;  ///< "fp16 inputs, fp32 sums"
    int stage = 0;
    OperandRounding rounding = OperandRounding::kNone;
    NumberFormat operands = kFloat64;
    NumberFormat sums = kFloat32;
    NumberFormat results = kFloat64;  ///< before they are rounded to the recorded dtype
    /// Errors of one element reach its neighbours in a plane (Winograd, FFT): how far, and how much
    /// larger than those of a plain sum they are.
    int64_t spread = 0;
    double growth = 1;

    /// What it makes of operands can be computed here, but for the order of its sums.
    [[nodiscard]] bool is_computed_here() const {
        return spread == 0 && sums.bits >= kFloat32.bits && rounding != OperandRounding::kSomehow &&
               rounding != OperandRounding::kScaled;
    }
    [[nodiscard]] bool steps_are_narrow() const { return sums.bits < kFloat32.bits; }
    [[nodiscard]] bool is_float64() const { return sums.bits >= kFloat64.bits; }
    friend bool operator==(const ProductClass&, const ProductClass&) = default;
};
[[nodiscard]] std::span<const ProductClass> product_classes();
/// They differ only in how they round operands to the same bits, to nearest or toward zero, as
/// kernels of one library do.
[[nodiscard]] bool are_of_one_library(const ProductClass& one, const ProductClass& other);

/// A class of everything else. From the tightest to the most lenient.
struct VectorClass {
    std::string_view name;  ///< "fp16 throughout"
    NumberFormat steps = kFloat32;
    NumberFormat results = kFloat64;

    [[nodiscard]] static bool is_computed_here() { return true; }
    [[nodiscard]] bool steps_are_narrow() const { return steps.bits < kFloat32.bits; }
    [[nodiscard]] bool is_float64() const { return steps.bits >= kFloat64.bits; }
};
[[nodiscard]] std::span<const VectorClass> vector_classes();

/// Inputs, steps and results of `one` keep at least as many bits as those of `other`; how inputs
/// are rounded does not count.
[[nodiscard]] bool is_as_precise(const ProductClass& one, const ProductClass& other);
[[nodiscard]] bool is_as_precise(const VectorClass& one, const VectorClass& other);

/// Bits of significand that everything in such arithmetic keeps: inputs, steps and results.
[[nodiscard]] int fewest_bits(const ProductClass& row);
[[nodiscard]] int fewest_bits(const VectorClass& row);

}  // namespace npuscope::diagnose
