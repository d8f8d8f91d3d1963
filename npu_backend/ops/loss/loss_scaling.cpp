// What a gradient scaler does with gradients and its scale.
#include <array>

#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

namespace {

/// Gradients times inv_scale; found_inf becomes 1 when one of them was not finite.
void lower_unscale(Lowering& op) {
    const double factor = op.raw("inv_scale").at(0);
    bool found = op.raw("found_inf").at(0) != 0;
    TensorList gradients;
    for (const Tensor& given : op.raw_list("self")) {
        IntList axes;
        for (int64_t axis = 0; axis < given.ndim(); ++axis)
            axes.push_back(axis);
        const Tensor finite = op.launch("IsFinite", {op.held(given)});
        const Tensor all = op.launch("ReduceAll", {finite}, {{"axes", axes}, {"keep_dims", false}});
        found = found || !all.as<bool>()[0];
        gradients.push_back(op.rounded("mul_Scalar", {{"self", given}, {"other", Scalar{factor}}}));
    }
    op.result(std::move(gradients));
    op.result(op.launch("Fill",
                        {Tensor(op.numerics().held(op.declared("found_inf")),
                                op.raw("found_inf").shape())},
                        {{"value", found ? 1.0 : 0.0}}),
              op.declared("found_inf"));
}

/// The scale shrinks after an infinite gradient and grows after growth_interval steps without one.
/// Source: PyTorch, torch.cuda.amp.GradScaler.
void lower_update_scale(Lowering& op) {
    const bool found = op.raw("found_inf").at(0) != 0;
    const int64_t steps = found ? 0 : static_cast<int64_t>(op.raw("growth_tracker").at(0)) + 1;
    const bool grows = !found && steps == op.integer("growth_interval");
    const double factor = found   ? op.number("scale_backoff_factor")
                          : grows ? op.number("scale_growth_factor")
                                  : 1.0;
    op.result(op.launch("Muls", {op.tensor("self")}, {{"value", factor}}), op.declared("self"));
    const DType dtype = op.declared("growth_tracker");
    op.result(op.launch("Fill",
                        {Tensor(dtype, op.raw("growth_tracker").shape())},
                        {{"value", grows ? 0.0 : static_cast<double>(steps)}}),
              dtype);
}

}  // namespace

std::span<const OpRow> loss_scaling_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "_amp_foreach_non_finite_check_and_unscale_(Tensor[] self, Tensor found_inf, "
                   "Tensor inv_scale) -> (Tensor[] self, Tensor found_inf)",
         .launches = {"IsFinite", "ReduceAll", "Mul", "Fill"},
         .note = "IsFinite, ReduceAll, Mul for each tensor; Fill",
         .lower = lower_unscale},
        {.schema = "_amp_update_scale_(Tensor self, Tensor growth_tracker, Tensor found_inf, float "
                   "scale_growth_factor, float scale_backoff_factor, int growth_interval) -> "
                   "(Tensor self, Tensor growth_tracker)",
         .launches = {"Muls", "Fill"},
         .lower = lower_update_scale},
    });
    return kRows;
}

}  // namespace npuscope::backend
