// What an op's kernels raised in the chip's float status.
#pragma once

#include <cstdint>

namespace npuscope {

/// The AI Core status bits that a kernel raised. Source: asc_get_status of the Ascend C API.
struct FloatStatus {
    uint64_t bits = 0;
    bool inputs_count = false;  ///< inf and nan that came in count as overflow (an option)

    static constexpr uint64_t kOverflow =
        1u << 5;  ///< float (or int16/32) overflow of a vector result
    static constexpr uint64_t kUnderflow = 1u << 6;  ///< nonzero became zero
    static constexpr uint64_t kNegativeToUnsigned = 1u << 7;
    static constexpr uint64_t kCopyOverflow = 1u << 8;   ///< L0C to UB copy, float32 to float16
    static constexpr uint64_t kCopyUnderflow = 1u << 9;  ///< in that copy nonzero became zero
    static constexpr uint64_t kCubeOverflow = 1u << 10;  ///< Cube accumulator
    static constexpr uint64_t kVectorInputNonFinite = 1u << 14;  ///< nan or inf came in
    static constexpr uint64_t kCubeInputNonFinite = 1u << 15;

    void raise(uint64_t bit) { bits |= bit; }
    void merge(FloatStatus other) {
        bits |= other.bits;
        inputs_count = inputs_count || other.inputs_count;
    }
    /// An exact result exceeded the largest finite value of its dtype.
    [[nodiscard]] bool overflow() const {
        return (bits & (kOverflow | kCopyOverflow | kCubeOverflow)) != 0 ||
               (inputs_count && input_non_finite());
    }
    [[nodiscard]] bool input_non_finite() const {
        return (bits & (kVectorInputNonFinite | kCubeInputNonFinite)) != 0;
    }
};

}  // namespace npuscope
