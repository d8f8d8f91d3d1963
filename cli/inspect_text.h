// What `npuscope inspect` prints of any kind of file: tables, statistics, histograms.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/tensor/statistics.h"

namespace npuscope::cli {

inline constexpr int kHistogramBins = 20;

/// Six significant digits.
[[nodiscard]] std::string number(double value);

/// Left-aligned columns, two blanks apart; the last one runs free. With `has_head`, columns that
/// are empty below the first row are left out.
void print_table(std::vector<std::vector<std::string>> rows, bool has_head);

/// JSON, as text because its library stays out of headers.
[[nodiscard]] std::string json_of(const Statistics& found);
[[nodiscard]] std::string json_of(const Statistics& found, const std::vector<int64_t>& bins);

/// Columns of a table of tensors: smallest, largest, mean, numbers of NaN, infinities and zeros.
[[nodiscard]] std::vector<std::string> statistics_cells(const Statistics& found);

/// Counts, extremes and a histogram of one tensor.
void print_values(const Statistics& found, const std::vector<int64_t>& bins);

}  // namespace npuscope::cli
