// Images sampled at the places of a grid.
#include <array>

#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

namespace {

void lower_grid_sampler(Lowering& op) {
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
    op.result(op.launch("GridSampler2D",
                        {op.tensor("input"), op.tensor("grid")},
                        {{"interpolation_mode", mode},
                         {"padding_mode", std::string(kPadding[static_cast<size_t>(padding)])},
                         {"align_corners", op.flag("align_corners")}}),
              input.dtype());
}

}  // namespace

std::span<const OpRow> grid_samples_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "grid_sampler_2d(Tensor input, Tensor grid, int interpolation_mode, int "
                   "padding_mode, bool align_corners) -> Tensor",
         .launches = {"GridSampler2D"},
         .source = "table",
         .lower = lower_grid_sampler},
    });
    return kRows;
}

}  // namespace npuscope::backend
