// Rows of the table that a comparison of dump folders makes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "msaccucmp/columns/row.h"
#include "msaccucmp/kernel_dumps/reading.h"

namespace npuscope::msaccucmp {

/// Which columns the table has.
struct TableFormat {
    std::vector<std::string> algorithms;
    bool has_sequence = false;   ///< OpSequence
    bool has_overflow = false;   ///< OverFlow
    bool has_my_address = true;  ///< NumPy files have none
    bool has_golden_address = true;
};

/// What all rows of an op have in common.
struct RowOp {
    int64_t index = 0;
    int64_t sequence = 0;
    std::string my_names;
    std::string golden_names;
};

struct RowTensor {
    std::string op_type = kNotANumber;
    std::string my_dtype = kNotANumber;
    std::string my_address = kNotANumber;
    std::string golden_dtype = kNotANumber;
    std::string golden_address = kNotANumber;
    std::string id = kNotANumber;  ///< "op:output:0"
    std::string shape = kNotANumber;
    std::string overflow = kNotANumber;
    std::vector<std::string> values;  ///< by algorithm; empty: none could be computed
    std::string reason;
};

[[nodiscard]] std::vector<std::string> table_header(const TableFormat& format);
[[nodiscard]] Row table_row(const TableFormat& format, const RowOp& op, const RowTensor& tensor);
/// How many columns come before Shape.
[[nodiscard]] size_t columns_before_shape(const TableFormat& format);

/// "YES", "NO", or "NaN" for tensors that are not float16.
[[nodiscard]] std::string overflow_text(const DumpedTensor& tensor);
/// Decimal, "NaN" for 0.
[[nodiscard]] std::string address_text(uint64_t address);

}  // namespace npuscope::msaccucmp
