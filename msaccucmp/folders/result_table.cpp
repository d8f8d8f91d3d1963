#include "msaccucmp/folders/result_table.h"

#include <algorithm>
#include <cmath>

#include "core/cann_dump/data_type.h"

namespace npuscope::msaccucmp {

namespace {

constexpr float kLargestHalf = 65504.0f;

std::vector<std::string> cells_before_shape(const TableFormat& format,
                                            std::string index,
                                            std::string sequence,
                                            std::vector<std::string> rest) {
    std::vector<std::string> cells{std::move(index)};
    if (format.has_sequence) cells.push_back(std::move(sequence));
    // OpType, NPUDump, DataType, Address, GroundTruth, DataType, Address, TensorIndex
    if (!format.has_golden_address) rest.erase(rest.begin() + 6);
    if (!format.has_my_address) rest.erase(rest.begin() + 3);
    cells.insert(cells.end(), rest.begin(), rest.end());
    return cells;
}

}  // namespace

std::vector<std::string> table_header(const TableFormat& format) {
    auto cells = cells_before_shape(format,
                                    "Index",
                                    "OpSequence",
                                    {"OpType",
                                     "NPUDump",
                                     "DataType",
                                     "Address",
                                     "GroundTruth",
                                     "DataType",
                                     "Address",
                                     "TensorIndex"});
    cells.emplace_back("Shape");
    if (format.has_overflow) cells.emplace_back("OverFlow");
    cells.insert(cells.end(), format.algorithms.begin(), format.algorithms.end());
    cells.emplace_back("CompareFailReason");
    return cells;
}

size_t columns_before_shape(const TableFormat& format) {
    const auto cells = table_header(format);
    return static_cast<size_t>(std::find(cells.begin(), cells.end(), "Shape") - cells.begin());
}

Row table_row(const TableFormat& format, const RowOp& op, const RowTensor& tensor) {
    Row row{.index = op.index, .cells = {}};
    row.cells = cells_before_shape(format,
                                   std::to_string(op.index),
                                   std::to_string(op.sequence),
                                   {tensor.op_type,
                                    op.my_names,
                                    tensor.my_dtype,
                                    tensor.my_address,
                                    op.golden_names,
                                    tensor.golden_dtype,
                                    tensor.golden_address,
                                    tensor.id});
    row.cells.push_back(tensor.shape);
    if (format.has_overflow) row.cells.push_back(tensor.overflow);
    if (tensor.values.empty()) {
        row.cells.insert(row.cells.end(), format.algorithms.size(), kNotANumber);
    } else {
        row.cells.insert(row.cells.end(), tensor.values.begin(), tensor.values.end());
    }
    row.cells.push_back(tensor.reason);
    return row;
}

std::string overflow_text(const DumpedTensor& tensor) {
    if (tensor.data_type != static_cast<int64_t>(cann_dump::DataType::kFloat16) ||
        tensor.data.values.dtype() != DType::kFloat16)
        return kNotANumber;
    float largest = 0;
    for (const Float16 element : tensor.data.values.as<Float16>()) {
        const float size = std::fabs(to_float(element));
        // One NaN hides every overflow, as in NumPy's max().
        if (std::isnan(size)) return "NO";
        largest = std::max(largest, size);
    }
    return largest >= kLargestHalf ? "YES" : "NO";
}

std::string address_text(uint64_t address) {
    return address == 0 ? kNotANumber : std::to_string(address);
}

}  // namespace npuscope::msaccucmp
