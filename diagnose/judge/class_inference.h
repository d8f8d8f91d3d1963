// Which class of honest arithmetic explains a sample of ops.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/dtype/dtype.h"
#include "diagnose/judge/arithmetic.h"
#include "diagnose/judge/op_run.h"

namespace npuscope::diagnose {

inline constexpr size_t kMostClasses = 24;
/// Of one op, by the row of its class: how far off it is at most, in what the class allows.
using Ratios = std::array<double, kMostClasses>;

struct SampledRun {
    Ratios ratios{};
    /// Of significand, that all its float32 results need: 8 (bf16), 11 (fp16) or 24; 0 where they
    /// are too few to tell.
    int bits = 0;
};

/// As SampledRun::bits.
[[nodiscard]] int result_bits(const OpRun& run);

/// The class of a group, found from a sample of its ops or told by the device.
struct InferredArithmetic {
    const ProductClass* product = nullptr;
    const VectorClass* vector = nullptr;
    int64_t sampled = 0;  ///< of a device that tells: all ops of the group
    int64_t within = 0;   ///< of the sample: what the class explains
    [[nodiscard]] std::string_view name() const {
        return product != nullptr ? product->name : vector->name;
    }
};

/// Of matrix products that give out `dtype`.
[[nodiscard]] InferredArithmetic product_class_of(const std::vector<SampledRun>& sample,
                                                  DType dtype);
/// Of other ops.
[[nodiscard]] InferredArithmetic vector_class_of(const std::vector<SampledRun>& sample,
                                                 DType dtype);

}  // namespace npuscope::diagnose
