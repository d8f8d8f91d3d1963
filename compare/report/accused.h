// What a report says of a culprit besides its sentence: its name, its elements, the next command.
#pragma once

#include <string>

#include "compare/report/report.h"

namespace npuscope::compare {

/// The result that is furthest beyond what is allowed, and by how much; both nullptr where none was
/// computed again, or none is beyond it.
struct AccusedResult {
    const TensorResult* tensor = nullptr;
    const Introduced* error = nullptr;
};
/// Of the golden's run where the golden's op is at fault. A tensor or a program has none.
[[nodiscard]] AccusedResult accused_result(const Culprit& culprit, const OpResult& op);

/// Of the op: where several stand for one of the golden's, the one whose own arithmetic it is.
[[nodiscard]] const std::string& accused_path(const Culprit& culprit, const OpResult& op);

/// The argument at fault; "" of what is no argument.
[[nodiscard]] std::string accused_argument(const Culprit& culprit, const OpResult& op);

/// "encoder.fc, net.py:20": the module, else the node, and the line without its folder; "" where no
/// dump says so.
[[nodiscard]] std::string place_text(const OpResult& op);

/// "/addmm/17 (encoder.fc, net.py:20)", as printable text.
[[nodiscard]] std::string label_text(const OpResult& op);
/// Of a tensor: its path in place of the op's.
[[nodiscard]] std::string label_text(const Culprit& culprit, const OpResult& op);

/// A command that shows more; "" where the file is no dump.
[[nodiscard]] std::string next_command(const Culprit& culprit,
                                       const OpResult& op,
                                       const ReportOptions& options);

/// The element `index`, in C order, by axis: "[3,5]".
[[nodiscard]] std::string place_of_element(int64_t index, const Shape& shape);

}  // namespace npuscope::compare
