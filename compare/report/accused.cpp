#include "compare/report/accused.h"

#include <algorithm>
#include <filesystem>

#include "core/base/printable.h"
#include "core/base/shell_word.h"

namespace npuscope::compare {

namespace {

bool is_of_golden(const Culprit& culprit, const OpResult& op) {
    return culprit.kind == CulpritKind::kGolden || op.target.empty();
}

std::string with_place(const std::string& path, const OpResult& op) {
    const std::string place = place_text(op);
    return printable(path) + (place.empty() ? "" : " (" + printable(place) + ")");
}

}  // namespace

AccusedResult accused_result(const Culprit& culprit, const OpResult& op) {
    AccusedResult worst;
    if (culprit.kind == CulpritKind::kTensor || culprit.kind == CulpritKind::kProgram ||
        culprit.kind == CulpritKind::kArithmetic)
        return worst;
    for (const TensorResult& tensor : op.tensors) {
        if (!tensor.split) continue;
        const auto& error =
            culprit.kind == CulpritKind::kGolden ? tensor.split->golden : tensor.split->target;
        if (!error || error->over == 0) continue;
        if (worst.error == nullptr || error->ratio > worst.error->ratio) worst = {&tensor, &*error};
    }
    return worst;
}

const std::string& accused_path(const Culprit& culprit, const OpResult& op) {
    if (!culprit.step.empty()) return culprit.step;
    return op.target.empty() ? op.golden : op.target;
}

std::string accused_argument(const Culprit& culprit, const OpResult& op) {
    if (!culprit.argument.empty()) return culprit.argument;
    const bool told = culprit.kind == CulpritKind::kArgument && !op.arguments.empty();
    return told ? op.arguments.front().name : std::string();
}

std::string place_text(const OpResult& op) {
    std::string place = op.module.empty() ? op.node : op.module;
    if (!op.line.empty())
        place += (place.empty() ? "" : ", ") + std::filesystem::path(op.line).filename().string();
    return place;
}

std::string label_text(const OpResult& op) {
    return with_place(op.target.empty() ? op.golden : op.target, op);
}

std::string label_text(const Culprit& culprit, const OpResult& op) {
    if (!culprit.tensor.empty()) return with_place(culprit.tensor, op);
    const bool golden = culprit.kind == CulpritKind::kGolden && !op.golden.empty();
    return golden ? "golden's " + with_place(op.golden, op)
                  : with_place(accused_path(culprit, op), op);
}

std::string next_command(const Culprit& culprit, const OpResult& op, const ReportOptions& options) {
    const bool golden = is_of_golden(culprit, op);
    const std::string& file = golden ? options.golden : options.target;
    const std::filesystem::path extension = std::filesystem::path(file).extension();
    if (extension != ".h5" && extension != ".hdf5") return {};
    const std::string& path = !culprit.tensor.empty() ? culprit.tensor
                              : golden                ? op.golden
                                                      : accused_path(culprit, op);
    return "npuscope inspect " + shell_word(file) + " " + shell_word(path);
}

std::string place_of_element(int64_t index, const Shape& shape) {
    std::string text;
    for (size_t axis = shape.size(); axis-- > 0;) {
        const int64_t size = std::max<int64_t>(shape[axis], 1);
        text.insert(0, std::to_string(index % size) + (text.empty() ? "" : ","));
        index /= size;
    }
    return "[" + text + "]";
}

}  // namespace npuscope::compare
