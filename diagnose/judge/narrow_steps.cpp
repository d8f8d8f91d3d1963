// Ops that some libraries compute in steps of 16 bits where they compute others in float32.
#include <algorithm>
#include <array>
#include <string_view>

#include "diagnose/judge/vector_error.h"

namespace npuscope::diagnose {

namespace {

/// PyTorch's CUDA kernels of these take each step in the elements' own dtype, others in float32.
/// Source: BinaryMiscBackwardOpsKernels.cu, PointwiseOpsKernel.cu, Indexing.cu (it adds in place by
/// atomics) of PyTorch 2.11; recorded on an H100.
constexpr auto kInNarrowSteps = std::to_array<std::string_view>({"sigmoid_backward",
                                                                 "tanh_backward",
                                                                 "mse_loss_backward",
                                                                 "smooth_l1_loss_backward",
                                                                 "huber_loss_backward",
                                                                 "index_add",
                                                                 "index_add_",
                                                                 "scatter_add",
                                                                 "scatter_add_"});
/// Chips take their steps in either way, as in attention and gradients.
constexpr auto kInStepsOfChips = std::to_array<std::string_view>({"_softmax", "_log_softmax"});

bool is_in_narrow_steps(const backend::Op& op) {
    return std::ranges::find(kInNarrowSteps, op.name()) != kInNarrowSteps.end();
}

bool is_gradient(const backend::Op& op) {
    return op.name().find("_backward") != std::string::npos;
}

/// Of 16 bits: the result's (which may be stored wider), of what a norm's gradient by its weight
/// and bias adds up, or of what a fused norm adds first. Recorded on an H200: sums of bfloat16
/// gradients that are kept in float32, off by a bfloat16 rounding.
std::optional<NumberFormat> format_of_parts(const OpRun& run,
                                            const RecordedResult& result,
                                            const NumberFormat& numbers) {
    if (is_of_16_bits(result.elements.dtype())) return format_of(result.elements.dtype());
    if (numbers == kBFloat16 || numbers == kFloat16) return numbers;
    const bool is_fused_norm = run.op->row->is_composed && run.op->name().ends_with("_norm");
    if (!is_fused_norm && !run.op->name().ends_with("_norm_backward")) return std::nullopt;
    for (const NamedValue& argument : run.arguments)
        if (const auto* tensor = std::get_if<Tensor>(&argument.value);
            tensor != nullptr && is_of_16_bits(tensor->dtype()))
            return format_of(tensor->dtype());
    return std::nullopt;
}

}  // namespace

bool may_take_narrow_steps(const OpRun& run) {
    return is_in_narrow_steps(*run.op) && gives_16_bits(run);
}

const VectorClass* VectorError::class_in_parts(const VectorClass& by,
                                               const RecordedResult& result) {
    const auto format = format_of_parts(run_, result, by.results);
    if (!format || by.steps_are_narrow()) return nullptr;
    const bool by_chips =
        !disturbed_.is_elementwise() &&
        (run_.op->row->is_composed || is_gradient(*run_.op) ||
         std::ranges::find(kInStepsOfChips, run_.op->name()) != kInStepsOfChips.end());
    if (!by_chips && !is_in_narrow_steps(*run_.op)) return nullptr;
    const auto classes = vector_classes();
    const auto row = std::ranges::find_if(
        classes, [&](const VectorClass& each) { return each.steps == *format; });
    return row == classes.end() ? nullptr : &*row;
}

}  // namespace npuscope::diagnose
