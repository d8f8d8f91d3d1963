// What PyTorch calls the storages of its files. Included by core/npz/*.cpp only.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace npuscope::npz {

struct Storage {
    std::string_view dtype;
    std::string_view name;
    size_t item_size;
};

inline constexpr auto kStorages = std::to_array<Storage>({
    {"float16", "HalfStorage", 2},
    {"bfloat16", "BFloat16Storage", 2},
    {"float32", "FloatStorage", 4},
    {"float64", "DoubleStorage", 8},
    {"int8", "CharStorage", 1},
    {"int16", "ShortStorage", 2},
    {"int32", "IntStorage", 4},
    {"int64", "LongStorage", 8},
    {"uint8", "ByteStorage", 1},
    {"bool", "BoolStorage", 1},
    {"complex64", "ComplexFloatStorage", 8},
    {"complex128", "ComplexDoubleStorage", 16},
});

/// By NumPy's name of the dtype; null where PyTorch has none.
inline const Storage* storage_of_dtype(std::string_view dtype) {
    const auto* const row = std::find_if(kStorages.begin(),
                                         kStorages.end(),
                                         [&](const Storage& each) { return each.dtype == dtype; });
    return row == kStorages.end() ? nullptr : row;
}

}  // namespace npuscope::npz
