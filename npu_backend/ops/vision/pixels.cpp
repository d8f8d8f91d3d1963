// Windows of images as columns, and pixels as channels.
#include <array>

#include "npu_backend/memory/strided.h"
#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

namespace {

NamedValues windows(const Lowering& op) {
    return {{"ksizes", op.sizes("kernel_size", 2)},
            {"dilations", op.sizes("dilation", 2)},
            {"pads", op.sizes("padding", 2)},
            {"strides", op.sizes("stride", 2)}};
}

void lower_im2col(Lowering& op) {
    const Tensor& self = op.raw("self");
    if (self.ndim() != 3 && self.ndim() != 4) op.reject("self must have 3 or 4 dimensions");
    Shape shape = self.shape();
    if (self.ndim() == 3) shape.insert(shape.begin(), 1);
    const Tensor y = op.launch("Im2col", {self.reshaped(shape)}, windows(op));
    op.result(self.ndim() == 3 ? y.reshaped({y.dim(1), y.dim(2)}) : y, self.dtype());
}

void lower_col2im(Lowering& op) {
    const Tensor self = op.tensor("self");
    if (self.ndim() != 2 && self.ndim() != 3) op.reject("self must have 2 or 3 dimensions");
    const Tensor columns = self.ndim() == 3 ? self : self.reshaped({1, self.dim(0), self.dim(1)});
    const IntList kernel = op.sizes("kernel_size", 2);
    const IntList size = op.sizes("output_size", 2);
    if (kernel[0] < 1 || kernel[1] < 1 || columns.dim(1) % (kernel[0] * kernel[1]) != 0)
        op.reject("self " + to_string(self.shape()) + " does not fit the kernel");
    NamedValues attributes = windows(op);
    attributes.push_back(
        {"image",
         IntList{columns.dim(0), columns.dim(1) / (kernel[0] * kernel[1]), size[0], size[1]}});
    const Tensor y = op.launch("Col2im", {columns}, std::move(attributes));
    op.result(self.ndim() == 3 ? y : y.reshaped({y.dim(1), y.dim(2), y.dim(3)}),
              op.declared("self"));
}

/// [N, C r^2, H, W] to [N, C, H r, W r], or back.
template <bool kBack>
void lower_pixel_shuffle(Lowering& op) {
    const Tensor& self = op.raw("self");
    const int64_t r = op.integer(kBack ? "downscale_factor" : "upscale_factor");
    if (self.ndim() < 3 || r < 1) op.reject("3 dimensions and a positive factor are needed");
    const int64_t channels = self.dim(-3);
    const int64_t height = self.dim(-2);
    const int64_t width = self.dim(-1);
    if (kBack ? height % r != 0 || width % r != 0 : channels % (r * r) != 0)
        op.reject("the factor does not divide " + to_string(self.shape()));
    Shape shape(self.shape().begin(), self.shape().end() - 3);
    const Shape split = kBack ? Shape{-1, channels, height / r, r, width / r, r}
                              : Shape{-1, channels / (r * r), r, r, height, width};
    const std::vector<int64_t> order =
        kBack ? std::vector<int64_t>{0, 1, 3, 5, 2, 4} : std::vector<int64_t>{0, 1, 4, 2, 5, 3};
    const Shape last = kBack ? Shape{channels * r * r, height / r, width / r}
                             : Shape{channels / (r * r), height * r, width * r};
    shape.insert(shape.end(), last.begin(), last.end());
    op.result(op.launch("Identity", {permuted(self.reshaped(split), order)}).reshaped(shape),
              self.dtype());
}

}  // namespace

std::span<const OpRow> pixels_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "im2col(Tensor self, int[2] kernel_size, int[2] dilation, int[2] padding, "
                   "int[2] stride) -> Tensor",
         .launches = {"Im2col"},
         .source = "table",
         .lower = lower_im2col},
        {.schema = "col2im(Tensor self, int[2] output_size, int[2] kernel_size, int[2] dilation, "
                   "int[2] padding, int[2] stride) -> Tensor",
         .launches = {"Col2im"},
         .source = "table",
         .lower = lower_col2im},
        {.schema = "pixel_shuffle(Tensor self, int upscale_factor) -> Tensor",
         .launches = {"Identity"},
         .lower = lower_pixel_shuffle<false>},
        {.schema = "pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor",
         .launches = {"Identity"},
         .lower = lower_pixel_shuffle<true>},
    });
    return kRows;
}

}  // namespace npuscope::backend
