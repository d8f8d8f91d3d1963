// Images sampled at the places of a grid.
#include <array>

#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

namespace {

struct Sampled {
    Tensor input;
    Tensor grid;
    NamedValues attributes;
};

Sampled sampled(Lowering& op) {
    const Tensor& input = op.raw("input");
    const Tensor& grid = op.raw("grid");
    if (input.ndim() != 4 || grid.ndim() != 4 || grid.dim(3) != 2 || grid.dim(0) != input.dim(0) ||
        grid.dtype() != input.dtype() || input.dim(2) == 0 || input.dim(3) == 0)
        op.reject("input " + to_string(input.shape()) + " and grid " + to_string(grid.shape()) +
                  " do not fit each other");
    constexpr std::array<const char*, 3> kPadding = {"zeros", "border", "reflection"};
    const int64_t mode = op.integer("interpolation_mode");
    const int64_t padding = op.integer("padding_mode");
    if (mode < 0 || mode > 2 || padding < 0 || padding > 2)
        op.reject("interpolation_mode and padding_mode must be 0, 1 or 2");
    return {.input = op.tensor("input"),
            .grid = op.tensor("grid"),
            .attributes = {{"interpolation_mode", mode},
                           {"padding_mode", std::string(kPadding[static_cast<size_t>(padding)])},
                           {"align_corners", op.flag("align_corners")}}};
}

void lower_grid_sampler(Lowering& op) {
    const Sampled own = sampled(op);
    op.result(op.launch("GridSampler2D", {own.input, own.grid}, own.attributes),
              op.declared("input"));
}

void lower_grid_sampler_gradient(Lowering& op) {
    const Sampled own = sampled(op);
    const Tensor& gradient = op.raw("grad_output");
    const Shape made = {own.input.dim(0), own.input.dim(1), own.grid.dim(1), own.grid.dim(2)};
    if (gradient.shape() != made || gradient.dtype() != op.raw("input").dtype())
        op.reject("grad_output " + to_string(gradient.shape()) + " is not of " + to_string(made));
    const std::vector<bool>& wanted = op.mask("output_mask", 2);
    const std::vector<Tensor> gradients = op.launch_all(
        "GridSampler2DGrad", {op.tensor("grad_output"), own.input, own.grid}, own.attributes);
    if (gradients.size() != 2) op.reject("kernel GridSampler2DGrad must give two gradients");
    if (wanted[0])
        op.result(gradients[0], op.declared("input"));
    else
        op.no_result();
    // PyTorch makes that of the grid always.
    op.result(gradients[1], op.declared("grid"));
}

}  // namespace

std::span<const OpRow> grid_samples_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "grid_sampler_2d(Tensor input, Tensor grid, int interpolation_mode, int "
                   "padding_mode, bool align_corners) -> Tensor",
         .launches = {"GridSampler2D"},
         .source = "table",
         .lower = lower_grid_sampler},
        {.schema = "grid_sampler_2d_backward(Tensor grad_output, Tensor input, Tensor grid, int "
                   "interpolation_mode, int padding_mode, bool align_corners, bool[2] output_mask) "
                   "-> (Tensor, Tensor)",
         .launches = {"GridSampler2DGrad"},
         .source = "table",
         .lower = lower_grid_sampler_gradient},
    });
    return kRows;
}

}  // namespace npuscope::backend
