// Rows of the result table.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compare/msaccucmp/algorithms.h"
#include "core/tensor/tensor.h"

namespace npuscope::compare::msaccucmp {

inline constexpr const char* kNotANumber = "NaN";

struct Row {
    int64_t index = 0;
    std::vector<std::string> cells;  ///< all columns, Index included
    std::string my_path;             ///< real paths in the files, "" where there is none
    std::string golden_path;
};

/// Column numbers before the algorithms' columns.
enum Column : size_t { kIndex, kNpuDump, kNpuDumpPath, kGroundTruthPath, kDataType, kShape };
inline constexpr size_t kFirstAlgorithmColumn = 6;

[[nodiscard]] std::vector<std::string> header(const std::vector<int>& algorithms);

/// A row without numbers: `reason` says why.
[[nodiscard]] Row empty_row(int64_t index,
                            const std::string& op,
                            const std::string& my_path,
                            const std::string& golden_path,
                            size_t algorithm_count,
                            const std::string& reason);

[[nodiscard]] Row full_row(int64_t index,
                           const std::string& op,
                           const std::string& my_path,
                           const std::string& golden_path,
                           const std::string& dtype,
                           const Shape& shape,
                           const AlgorithmTexts& texts);

}  // namespace npuscope::compare::msaccucmp
