// Small tensors and special numbers, as tests of many rooms write them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/tensor/tensor.h"

namespace npuscope::test {

inline constexpr float kInf = std::numeric_limits<float>::infinity();
inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

inline Tensor floats(Shape shape, const std::vector<float>& values) {
    return Tensor::from<float>(std::move(shape), std::span<const float>(values));
}

/// Of one dimension.
inline Tensor floats(const std::vector<float>& values) {
    return floats({static_cast<int64_t>(values.size())}, values);
}

inline Tensor halves(Shape shape, const std::vector<float>& values) {
    return floats(std::move(shape), values).cast(DType::kFloat16);
}

/// One float16.
inline Tensor half(float value) {
    return halves({1}, {value});
}

inline std::span<const std::byte> bytes_of(const std::string& text) {
    return std::as_bytes(std::span(text));
}

/// The pattern of a float32.
inline uint32_t bits(float value) {
    return std::bit_cast<uint32_t>(value);
}

}  // namespace npuscope::test
