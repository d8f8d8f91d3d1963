#include "msaccucmp/columns/row.h"

namespace npuscope::msaccucmp {

std::string joined_reasons(const std::vector<std::string>& reasons) {
    std::string text;
    for (const std::string& reason : reasons)
        text += (text.empty() ? "" : ",") + reason;
    return text;
}

std::vector<std::string> header(const std::vector<int>& algorithms) {
    std::vector<std::string> cells = {
        "Index", "NPUDump", "NPUDumpPath", "GroundTruthPath", "DataType", "Shape"};
    for (const int algorithm : algorithms)
        cells.emplace_back(kAlgorithmNames[static_cast<size_t>(algorithm)]);
    cells.emplace_back("CompareFailReason");
    return cells;
}

Row empty_row(const RowPair& pair, size_t algorithm_count, const std::string& reason) {
    Row row{.index = pair.index, .cells = {}};
    row.cells = {std::to_string(pair.index),
                 pair.op,
                 pair.my_path,
                 pair.golden_path,
                 kNotANumber,
                 kNotANumber};
    row.cells.insert(row.cells.end(), algorithm_count, kNotANumber);
    row.cells.push_back(reason);
    return row;
}

Row full_row(const RowPair& pair,
             const std::string& dtype,
             const Shape& shape,
             const AlgorithmTexts& texts) {
    Row row{.index = pair.index, .cells = {}};
    row.cells = {std::to_string(pair.index),
                 pair.op,
                 pair.my_path,
                 pair.golden_path,
                 dtype,
                 to_string(shape)};
    row.cells.insert(row.cells.end(), texts.values.begin(), texts.values.end());
    row.cells.push_back(joined_reasons(texts.reasons));
    return row;
}

}  // namespace npuscope::msaccucmp
