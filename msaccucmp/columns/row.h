// Rows of the result table.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/tensor/tensor.h"
#include "msaccucmp/columns/algorithms.h"

namespace npuscope::msaccucmp {

inline constexpr const char* kNotANumber = "NaN";

struct Row {
    int64_t index = 0;
    std::vector<std::string> cells;  ///< all columns, Index included
    int32_t my_node = -1;            ///< in the files' indices, -1 where there is none
    int32_t golden_node = -1;
};

/// What a row is about.
struct RowPair {
    int64_t index = 0;
    std::string op;
    std::string my_path = kNotANumber;
    std::string golden_path = kNotANumber;
};

[[nodiscard]] std::string joined_reasons(const std::vector<std::string>& reasons);

[[nodiscard]] std::vector<std::string> header(const std::vector<int>& algorithms);

/// A row without numbers: `reason` says why.
[[nodiscard]] Row empty_row(const RowPair& pair, size_t algorithm_count, const std::string& reason);

[[nodiscard]] Row full_row(const RowPair& pair,
                           const std::string& dtype,
                           const Shape& shape,
                           const AlgorithmTexts& texts);

}  // namespace npuscope::msaccucmp
