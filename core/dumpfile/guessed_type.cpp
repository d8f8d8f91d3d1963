#include "core/dumpfile/guessed_type.h"

#include <algorithm>
#include <array>

namespace npuscope::dumpfile {

namespace {

/// Arguments that are lists of integers in PyTorch's schemas.
constexpr auto kLists = std::to_array<std::string_view>({"bias_sizes",
                                                         "dilation",
                                                         "dim",
                                                         "dims",
                                                         "input_size",
                                                         "kernel_size",
                                                         "normalized_shape",
                                                         "output_mask",
                                                         "output_padding",
                                                         "output_size",
                                                         "pad",
                                                         "padding",
                                                         "repeats",
                                                         "shape",
                                                         "shifts",
                                                         "size",
                                                         "sizes",
                                                         "split_sizes",
                                                         "stride",
                                                         "strides"});

bool is_list(std::string_view argument) {
    const std::string_view last = argument.substr(argument.rfind('/') + 1);
    return std::ranges::find(kLists, last) != kLists.end();
}

}  // namespace

std::optional<SaveType> guessed_type(Direction direction,
                                     std::string_view argument,
                                     std::optional<DType> dtype,
                                     const Shape& shape) {
    if (!dtype) return std::nullopt;
    const bool is_narrow = *dtype != DType::kFloat64 && is_float(*dtype);
    if (direction == Direction::kOutput || is_narrow || shape.size() > 1) return SaveType::kTensor;
    const bool is_byte = *dtype == DType::kBool || *dtype == DType::kInt8;
    if (shape.empty())
        return is_float(*dtype) ? SaveType::kFloat : is_byte ? SaveType::kBool : SaveType::kInt;
    if (is_float(*dtype) || !is_list(argument)) return SaveType::kTensor;
    return is_byte ? SaveType::kBoolMask : SaveType::kIntList;
}

}  // namespace npuscope::dumpfile
