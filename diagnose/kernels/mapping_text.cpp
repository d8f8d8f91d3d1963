#include <algorithm>

#include <fmt/format.h>

#include "core/base/printable.h"
#include "diagnose/judge/judge_result.h"
#include "diagnose/kernels/mapping.h"

namespace npuscope::diagnose {

namespace {

std::string error_text(const std::optional<double>& error) {
    return error ? fmt::format("{:.1e}", *error) : std::string("-");
}

/// Formats of the first input and of the first output, once where they are one.
std::string formats_of(const MappedKernel& kernel) {
    const std::string in = kernel.inputs.empty() ? "" : kernel.inputs[0].format;
    const std::string out = kernel.outputs.empty() ? "" : kernel.outputs[0].format;
    return in == out || out.empty() ? in : in + " > " + out;
}

std::string dtypes_of(const MappedKernel& kernel) {
    const std::string in = kernel.inputs.empty() ? "" : kernel.inputs[0].dtype;
    const std::string out = kernel.outputs.empty() ? "" : kernel.outputs[0].dtype;
    return in == out || out.empty() ? in : in + " > " + out;
}

struct Paint {
    bool color;
    [[nodiscard]] std::string red(const std::string& text) const {
        return color ? "\033[31m" + text + "\033[0m" : text;
    }
};

void print_tensors(const std::vector<MappedTensor>& tensors, const char* side, std::string& text) {
    for (size_t i = 0; i < tensors.size(); ++i) {
        const MappedTensor& tensor = tensors[i];
        text += fmt::format("       {} {}  {} {} {}{}{}\n",
                            side,
                            i,
                            tensor.dtype,
                            tensor.format,
                            to_string(tensor.stored_shape),
                            tensor.from.empty() ? "" : "  from " + tensor.from,
                            tensor.result.empty() ? "" : "  is " + tensor.result);
    }
}

void print_kernel(const MappedKernel& kernel,
                  size_t position,
                  bool culprit,
                  bool all,
                  const Paint& paint,
                  std::string& text) {
    const std::string row = fmt::format("  {:>3}  {:<22} {:<20} {:<20} {:>10} {:>8}  {}{}\n",
                                        position,
                                        printable(kernel.type),
                                        dtypes_of(kernel),
                                        formats_of(kernel),
                                        error_text(kernel.introduced()),
                                        error_text(kernel.total()),
                                        kernel.verdict_name(),
                                        culprit ? "  <- first to leave the golden" : "");
    text += culprit ? paint.red(row) : row;
    if (!kernel.status.empty()) text += "       status: " + kernel.status + "\n";
    if ((kernel.fails() || all) && !kernel.rule().empty())
        text += "       " + printable(kernel.rule()) + "\n";
    if (!all) return;
    print_tensors(kernel.inputs, "input", text);
    print_tensors(kernel.outputs, "output", text);
    for (const std::string& file : kernel.files)
        text += "       " + printable(file) + "\n";
}

void print_op(const MappedOp& op, bool all, const Paint& paint, std::string& text) {
    text += printable(op.path) + (op.node.empty() ? "" : " (" + printable(op.node) + ")");
    if (!op.skipped.empty()) {
        text += ": " + printable(op.skipped) + "\n";
        return;
    }
    text += fmt::format(": {} kernel{}\n", op.kernels.size(), op.kernels.size() == 1 ? "" : "s");
    if (!op.match.empty()) text += "  " + op.match + "\n";
    if (!op.kernels.empty())
        text += fmt::format("    #  {:<22} {:<20} {:<20} {:>10} {:>8}  verdict\n",
                            "kernel",
                            "dtype",
                            "format",
                            "introduced",
                            "total");
    for (size_t i = 0; i < op.kernels.size(); ++i)
        print_kernel(op.kernels[i], i, op.first_culprit == i, all, paint, text);
    for (const compare::TensorResult& result : op.results)
        text += fmt::format("  {} against the file: {} {} ({})\n",
                            printable(result.argument),
                            word_of(result.judgement),
                            error_text(compare::relative_error(result)),
                            held_to(result.judgement));
}

}  // namespace

int64_t Mapping::kernel_count() const {
    int64_t count = 0;
    for (const MappedOp& op : ops)
        count += static_cast<int64_t>(op.kernels.size());
    return count;
}

bool Mapping::finding() const {
    return std::ranges::any_of(ops, [](const MappedOp& op) {
        const auto fails = [](const compare::TensorResult& result) {
            return compare::is_finding(result.judgement.verdict);
        };
        return op.first_culprit || std::ranges::any_of(op.results, fails);
    });
}

std::string to_text(const Mapping& mapping, bool color, bool all) {
    std::string text =
        fmt::format("device     {}\nreference  {}\n", mapping.device, mapping.reference);
    if (!mapping.folder.empty()) text += "kernels    " + printable(mapping.folder) + "\n";
    for (const MappedOp& op : mapping.ops)
        print_op(op, all, Paint{color}, text);
    for (const std::string& remark : mapping.remarks)
        text += "remark: " + printable(remark) + "\n";
    text += fmt::format("{} op{}, {} kernels\n",
                        mapping.ops.size(),
                        mapping.ops.size() == 1 ? "" : "s",
                        mapping.kernel_count());
    return text;
}

}  // namespace npuscope::diagnose
