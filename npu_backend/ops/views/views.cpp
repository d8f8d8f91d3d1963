// Ops that only re-describe storage: executed without a kernel, values moved into C order.
#include <algorithm>
#include <array>

#include "npu_backend/memory/strided.h"
#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

namespace {

void give(Lowering& op, Tensor value) {
    op.result(std::move(value), op.declared("self"));
}

void lower_view(Lowering& op) {
    give(op, op.raw("self").reshaped(op.ints("size")));
}

void lower_reshape(Lowering& op) {
    give(op, op.raw("self").reshaped(op.ints("shape")));
}

void lower_same(Lowering& op) {
    give(op, op.raw("self"));
}

void lower_permute(Lowering& op) {
    const Tensor& self = op.raw("self");
    std::vector<int64_t> dims;
    for (const int64_t dim : op.ints("dims"))
        dims.push_back(normalized_axis(dim, self.ndim()));
    std::vector<int64_t> sorted = dims;
    std::sort(sorted.begin(), sorted.end());
    bool each_once = static_cast<int64_t>(sorted.size()) == self.ndim();
    for (size_t i = 0; each_once && i < sorted.size(); ++i)
        each_once = sorted[i] == static_cast<int64_t>(i);
    if (!each_once)
        op.reject("dims " + to_string(op.ints("dims")) + " do not name each of " +
                  std::to_string(self.ndim()) + " dimensions once");
    give(op, permuted(self, dims));
}

Tensor swapped(const Tensor& self, int64_t a, int64_t b) {
    std::vector<int64_t> dims(static_cast<size_t>(self.ndim()));
    for (size_t i = 0; i < dims.size(); ++i)
        dims[i] = static_cast<int64_t>(i);
    if (!dims.empty()) std::swap(dims[static_cast<size_t>(a)], dims[static_cast<size_t>(b)]);
    return permuted(self, dims);
}

void lower_t(Lowering& op) {
    const Tensor& self = op.raw("self");
    if (self.ndim() > 2) op.reject("self must have at most 2 dimensions");
    if (self.ndim() < 2) return give(op, self);
    give(op, swapped(self, 0, 1));
}

void lower_transpose(Lowering& op) {
    const Tensor& self = op.raw("self");
    give(op,
         swapped(self,
                 normalized_axis(op.integer("dim0"), self.ndim()),
                 normalized_axis(op.integer("dim1"), self.ndim())));
}

void lower_expand(Lowering& op) {
    const Tensor& self = op.raw("self");
    Shape target = op.ints("size");
    if (target.size() < self.shape().size())
        op.reject("size " + to_string(target) + " has fewer dimensions than self");
    const size_t lead = target.size() - self.shape().size();
    for (size_t axis = lead; axis < target.size(); ++axis)
        if (target[axis] == -1) target[axis] = self.shape()[axis - lead];
    give(op, gather(self, {target, broadcast_strides(self.shape(), target), 0}));
}

void lower_expand_as(Lowering& op) {
    const Shape& target = op.raw("other").shape();
    give(op,
         gather(op.raw("self"), {target, broadcast_strides(op.raw("self").shape(), target), 0}));
}

void lower_view_as(Lowering& op) {
    give(op, op.raw("self").reshaped(op.raw("other").shape()));
}

Tensor without_ones(const Tensor& self, const std::vector<int64_t>& dims) {
    Shape shape;
    for (int64_t axis = 0; axis < self.ndim(); ++axis)
        if (self.dim(axis) != 1 || std::find(dims.begin(), dims.end(), axis) == dims.end())
            shape.push_back(self.dim(axis));
    return self.reshaped(std::move(shape));
}

void lower_squeeze(Lowering& op) {
    Shape shape = op.raw("self").shape();
    std::erase(shape, 1);
    give(op, op.raw("self").reshaped(std::move(shape)));
}

void lower_squeeze_dim(Lowering& op) {
    const Tensor& self = op.raw("self");
    give(op, without_ones(self, {normalized_axis(op.integer("dim"), self.ndim())}));
}

void lower_squeeze_dims(Lowering& op) {
    const Tensor& self = op.raw("self");
    std::vector<int64_t> dims;
    for (const int64_t dim : op.ints("dim"))
        dims.push_back(normalized_axis(dim, self.ndim()));
    give(op, without_ones(self, dims));
}

void lower_unsqueeze(Lowering& op) {
    const Tensor& self = op.raw("self");
    Shape shape = self.shape();
    shape.insert(shape.begin() + normalized_axis(op.integer("dim"), self.ndim() + 1), 1);
    give(op, self.reshaped(std::move(shape)));
}

void lower_select(Lowering& op) {
    const Tensor& self = op.raw("self");
    if (self.ndim() == 0) op.reject("self has no dimensions");
    const auto dim = static_cast<size_t>(normalized_axis(op.integer("dim"), self.ndim()));
    const int64_t size = self.shape()[dim];
    int64_t index = op.integer("index");
    if (index < -size || index >= size)
        op.reject("index " + std::to_string(index) + " is outside dimension " +
                  std::to_string(dim) + " of " + to_string(self.shape()));
    if (index < 0) index += size;
    Strided layout = Strided::of(self);
    layout.offset = index * layout.strides[dim];
    layout.shape.erase(layout.shape.begin() + static_cast<int64_t>(dim));
    layout.strides.erase(layout.strides.begin() + static_cast<int64_t>(dim));
    give(op, gather(self, layout));
}

Tensor sliced(const Tensor& self, size_t dim, int64_t start, int64_t end, int64_t step) {
    const int64_t size = self.shape()[dim];
    if (start < 0) start += size;
    if (end < 0) end += size;
    start = std::clamp<int64_t>(start, 0, size);
    end = std::clamp<int64_t>(end, start, size);
    if (start == 0 && end == size && step == 1) return self;
    Strided layout = Strided::of(self);
    layout.offset = start * layout.strides[dim];
    layout.shape[dim] = (end - start + step - 1) / step;
    layout.strides[dim] *= step;
    return gather(self, layout);
}

void lower_slice(Lowering& op) {
    const Tensor& self = op.raw("self");
    if (self.ndim() == 0) op.reject("self has no dimensions");
    const int64_t step = op.integer("step");
    if (step < 1) op.reject("step must be positive");
    const auto dim = static_cast<size_t>(normalized_axis(op.integer("dim"), self.ndim()));
    give(op,
         sliced(self,
                dim,
                op.has("start") ? op.integer("start") : 0,
                op.has("end") ? op.integer("end") : self.shape()[dim],
                step));
}

TensorList split(const Tensor& self, size_t dim, const IntList& sizes) {
    TensorList parts;
    int64_t start = 0;
    for (const int64_t size : sizes) {
        parts.push_back(sliced(self, dim, start, start + size, 1));
        start += size;
    }
    return parts;
}

void lower_split_with_sizes(Lowering& op) {
    const Tensor& self = op.raw("self");
    const auto dim = static_cast<size_t>(normalized_axis(op.integer("dim"), self.ndim()));
    const IntList& sizes = op.ints("split_sizes");
    int64_t total = 0;
    for (const int64_t size : sizes) {
        if (size < 0) op.reject("split_sizes must not be negative");
        total += size;
    }
    if (self.ndim() == 0 || total != self.shape()[dim])
        op.reject("split_sizes " + to_string(sizes) + " do not add up to dimension " +
                  std::to_string(dim) + " of " + to_string(self.shape()));
    op.result(split(self, dim, sizes));
}

void lower_split(Lowering& op) {
    const Tensor& self = op.raw("self");
    const int64_t size = op.integer("split_size");
    if (self.ndim() == 0 || size < 1) op.reject("split_size must be positive");
    const auto dim = static_cast<size_t>(normalized_axis(op.integer("dim"), self.ndim()));
    IntList sizes;
    for (int64_t left = self.shape()[dim]; left > 0; left -= size)
        sizes.push_back(std::min(left, size));
    op.result(split(self, dim, sizes));
}

/// Elements of the C-order tensor by strides of the caller's; the storage outside it is unknown.
void lower_as_strided(Lowering& op) {
    const Tensor& self = op.raw("self");
    const Strided layout{op.ints("size"),
                         op.ints("stride"),
                         op.has("storage_offset") ? op.integer("storage_offset") : 0};
    if (layout.shape.size() != layout.strides.size())
        op.reject("size and stride need one number a dimension each");
    int64_t last = layout.offset;
    bool inside = last >= 0;
    for (size_t i = 0; inside && i < layout.shape.size(); ++i) {
        int64_t step = 0;
        inside = layout.strides[i] >= 0 && layout.shape[i] >= 0 &&
                 !__builtin_mul_overflow(
                     layout.strides[i], std::max<int64_t>(layout.shape[i] - 1, 0), &step) &&
                 !__builtin_add_overflow(last, step, &last);
    }
    if (!inside || (numel_of(layout.shape) > 0 && last >= self.numel()))
        op.reject("size and stride leave the tensor's elements");
    op.result(gather(self, layout), self.dtype());
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size): a row an op
std::span<const OpRow> views_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "view(Tensor self, int[] size) -> Tensor",
         .source = "spec",
         .lower = lower_view},
        {.schema = "_unsafe_view(Tensor self, int[] size) -> Tensor",
         .source = "spec",
         .lower = lower_view},
        {.schema = "reshape(Tensor self, int[] shape) -> Tensor",
         .source = "spec",
         .lower = lower_reshape},
        {.schema = "alias(Tensor self) -> Tensor", .source = "spec", .lower = lower_same},
        {.schema = "detach(Tensor self) -> Tensor", .source = "spec", .lower = lower_same},
        {.schema = "permute(Tensor self, int[] dims) -> Tensor",
         .source = "spec",
         .lower = lower_permute},
        {.schema = "t(Tensor self) -> Tensor", .source = "spec", .lower = lower_t},
        {.schema = "transpose.int(Tensor self, int dim0, int dim1) -> Tensor",
         .source = "spec",
         .lower = lower_transpose},
        {.schema = "expand(Tensor self, int[] size, *, bool implicit=False) -> Tensor",
         .source = "spec",
         .lower = lower_expand},
        {.schema = "squeeze(Tensor self) -> Tensor", .source = "spec", .lower = lower_squeeze},
        {.schema = "squeeze.dim(Tensor self, int dim) -> Tensor",
         .source = "spec",
         .lower = lower_squeeze_dim},
        {.schema = "squeeze.dims(Tensor self, int[] dim) -> Tensor",
         .source = "spec",
         .lower = lower_squeeze_dims},
        {.schema = "unsqueeze(Tensor self, int dim) -> Tensor",
         .source = "spec",
         .lower = lower_unsqueeze},
        {.schema = "select.int(Tensor self, int dim, int index) -> Tensor",
         .source = "spec",
         .lower = lower_select},
        {.schema = "slice.Tensor(Tensor self, int dim=0, int? start=None, int? end=None, int "
                   "step=1) -> Tensor",
         .source = "spec",
         .lower = lower_slice},
        {.schema = "split_with_sizes(Tensor self, int[] split_sizes, int dim=0) -> Tensor[]",
         .source = "spec",
         .lower = lower_split_with_sizes},
        {.schema = "split.Tensor(Tensor self, int split_size, int dim=0) -> Tensor[]",
         .source = "spec",
         .lower = lower_split},
        {.schema = "unsafe_split_with_sizes(Tensor self, int[] split_sizes, int dim=0) -> Tensor[]",
         .source = "spec",
         .lower = lower_split_with_sizes},
        {.schema = "unsafe_split.Tensor(Tensor self, int split_size, int dim=0) -> Tensor[]",
         .source = "spec",
         .lower = lower_split},
        {.schema = "unsqueeze_(Tensor self, int dim) -> Tensor self",
         .source = "spec",
         .lower = lower_unsqueeze},
        {.schema = "squeeze_.dim(Tensor self, int dim) -> Tensor self",
         .source = "spec",
         .lower = lower_squeeze_dim},
        {.schema = "squeeze_(Tensor self) -> Tensor self",
         .source = "spec",
         .lower = lower_squeeze},
        {.schema = "transpose_(Tensor self, int dim0, int dim1) -> Tensor self",
         .source = "spec",
         .lower = lower_transpose},
        {.schema = "t_(Tensor self) -> Tensor self", .source = "spec", .lower = lower_t},
        {.schema = "_reshape_alias(Tensor self, int[] size, int[] stride) -> Tensor",
         .source = "spec",
         .lower = lower_view},
        {.schema = "expand_as(Tensor self, Tensor other) -> Tensor",
         .source = "spec",
         .lower = lower_expand_as},
        {.schema = "view_as(Tensor self, Tensor other) -> Tensor",
         .source = "spec",
         .lower = lower_view_as},
        {.schema = "lift_fresh(Tensor self) -> Tensor", .lower = lower_same},
        {.schema = "as_strided(Tensor self, int[] size, int[] stride, int? storage_offset=None) -> "
                   "Tensor",
         .source = "spec",
         .lower = lower_as_strided},
        {.schema = "as_strided_(Tensor self, int[] size, int[] stride, int? storage_offset=None) "
                   "-> Tensor self",
         .lower = lower_as_strided},
    });
    return kRows;
}

}  // namespace npuscope::backend
