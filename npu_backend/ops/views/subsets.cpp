// Views of parts of a tensor, and gradients and copies that write such a part.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>

#include "npu_backend/memory/strided.h"
#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

namespace {

/// A part of a C-order tensor of `shape`, as elements of its storage.
Strided sliced(const Lowering& op, const Shape& shape, int64_t start, int64_t end, int64_t step) {
    if (shape.empty() || step < 1) op.reject("a dimension and a positive step are needed");
    const auto dim =
        static_cast<size_t>(normalized_axis(op.integer("dim"), static_cast<int64_t>(shape.size())));
    const int64_t size = shape[dim];
    if (start < 0) start += size;
    if (end < 0) end += size;
    start = std::clamp<int64_t>(start, 0, size);
    end = std::clamp<int64_t>(end, start, size);
    Strided part{shape, contiguous_strides(shape), 0};
    part.offset = start * part.strides[dim];
    part.shape[dim] = (end - start + step - 1) / step;
    part.strides[dim] *= step;
    return part;
}

Strided selected(const Lowering& op, const Shape& shape) {
    if (shape.empty()) op.reject("there are no dimensions");
    const auto dim =
        static_cast<size_t>(normalized_axis(op.integer("dim"), static_cast<int64_t>(shape.size())));
    int64_t index = op.integer("index");
    if (index < -shape[dim] || index >= shape[dim])
        op.reject("index " + std::to_string(index) + " is outside " + to_string(shape));
    if (index < 0) index += shape[dim];
    Strided part{shape, contiguous_strides(shape), 0};
    part.offset = index * part.strides[dim];
    part.shape.erase(part.shape.begin() + static_cast<int64_t>(dim));
    part.strides.erase(part.strides.begin() + static_cast<int64_t>(dim));
    return part;
}

Strided diagonal(const Lowering& op, const Shape& shape) {
    const auto ndim = static_cast<int64_t>(shape.size());
    const auto dim1 = static_cast<size_t>(normalized_axis(op.integer("dim1"), ndim));
    const auto dim2 = static_cast<size_t>(normalized_axis(op.integer("dim2"), ndim));
    if (ndim < 2 || dim1 == dim2) op.reject("two different dimensions are needed");
    const int64_t offset = op.integer("offset");
    const std::vector<int64_t> strides = contiguous_strides(shape);
    const int64_t length = std::max<int64_t>(std::min(shape[dim1] + std::min<int64_t>(offset, 0),
                                                      shape[dim2] - std::max<int64_t>(offset, 0)),
                                             0);
    Strided part;
    part.offset = length == 0 ? 0 : offset >= 0 ? offset * strides[dim2] : -offset * strides[dim1];
    for (size_t axis = 0; axis < shape.size(); ++axis)
        if (axis != dim1 && axis != dim2) {
            part.shape.push_back(shape[axis]);
            part.strides.push_back(strides[axis]);
        }
    part.shape.push_back(length);
    part.strides.push_back(strides[dim1] + strides[dim2]);
    return part;
}

Strided unfolded(const Lowering& op, const Shape& shape, const char* dim_name) {
    const auto ndim = static_cast<int64_t>(shape.size());
    const int64_t size = op.integer("size");
    const int64_t step = op.integer("step");
    Strided part{shape, contiguous_strides(shape), 0};
    if (ndim == 0) op.reject("there are no dimensions");
    const auto dim = static_cast<size_t>(normalized_axis(op.integer(dim_name), ndim));
    if (size < 0 || size > shape[dim] || step < 1)
        op.reject("size and step do not fit " + to_string(shape));
    part.shape[dim] = (shape[dim] - size) / step + 1;
    part.shape.push_back(size);
    part.strides.push_back(part.strides[dim]);
    part.strides[dim] *= step;
    return part;
}

void give(Lowering& op, const Strided& part) {
    op.result(gather(op.raw("self"), part), op.declared("self"));
}

void lower_diagonal(Lowering& op) {
    give(op, diagonal(op, op.raw("self").shape()));
}

void lower_unfold(Lowering& op) {
    give(op, unfolded(op, op.raw("self").shape(), "dimension"));
}

void lower_unbind(Lowering& op) {
    const Tensor& self = op.raw("self");
    if (self.ndim() == 0) op.reject("self has no dimensions");
    const int64_t axis = normalized_axis(op.integer("dim"), self.ndim());
    TensorList parts;
    for (int64_t i = 0; i < self.dim(axis); ++i)
        parts.push_back(
            op.computed("select_int", {{"self", self}, {"dim", axis}, {"index", i}}).at(0));
    op.result(std::move(parts));
}

void lower_narrow(Lowering& op) {
    const int64_t start = op.integer("start");
    op.become(
        "slice_Tensor",
        {{"self", op.given("self")},
         {"dim", op.given("dim")},
         {"start", start},
         {"end",
          start < 0 && start + op.integer("length") == 0 ? Value()
                                                         : Value(start + op.integer("length"))}});
}

void lower_chunk(Lowering& op) {
    const Tensor& self = op.raw("self");
    const int64_t chunks = op.integer("chunks");
    if (chunks < 1 || self.ndim() == 0) op.reject("a positive number of chunks is needed");
    const int64_t size = self.dim(normalized_axis(op.integer("dim"), self.ndim()));
    op.become("split_Tensor",
              {{"self", self},
               {"split_size", std::max<int64_t>((size + chunks - 1) / chunks, 1)},
               {"dim", op.given("dim")}});
}

/// The places of a part, as numbers of elements.
std::vector<int64_t> places_of(const Shape& shape, const Strided& part) {
    Tensor all(DType::kInt64, shape);
    const auto numbers = all.mutable_as<int64_t>();
    for (size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = static_cast<int64_t>(i);
    const Tensor chosen = gather(all, part);
    return {chosen.as<int64_t>().begin(), chosen.as<int64_t>().end()};
}

/// `target` with `source` at the part's places. Moves values only.
Tensor written(const Lowering& op, Tensor target, const Tensor& source, const Strided& part) {
    if (source.shape() != part.shape)
        op.reject("the source " + to_string(source.shape()) + " is not of shape " +
                  to_string(part.shape));
    const std::vector<int64_t> places = places_of(target.shape(), part);
    const Tensor values = source.cast(target.dtype());
    visit_dtype(target.dtype(), [&]<class T>() {
        const auto out = target.mutable_as<T>();
        const auto in = values.as<T>();
        for (size_t i = 0; i < places.size(); ++i)
            out[static_cast<size_t>(places[i])] = in[i];
    });
    return target;
}

/// Zeros with the gradient at the part's places.
void give_gradient(Lowering& op, const Strided& part) {
    const Tensor gradient = op.tensor("grad_output");
    const Tensor zeros = op.launch("ZerosLike", {Tensor(gradient.dtype(), op.ints("input_sizes"))});
    op.result(written(op, zeros, gradient, part), op.declared("grad_output"));
}

void lower_slice_gradient(Lowering& op) {
    give_gradient(op,
                  sliced(op,
                         op.ints("input_sizes"),
                         op.integer("start"),
                         op.integer("end"),
                         op.integer("step")));
}

void lower_select_gradient(Lowering& op) {
    give_gradient(op, selected(op, op.ints("input_sizes")));
}

void lower_diagonal_gradient(Lowering& op) {
    give_gradient(op, diagonal(op, op.ints("input_sizes")));
}

/// Windows overlap, so that gradients add up.
void lower_unfold_gradient(Lowering& op) {
    const Tensor gradient = op.tensor("grad_in");
    const Shape& shape = op.ints("input_sizes");
    const Strided part = unfolded(op, shape, "dim");
    if (gradient.shape() != part.shape)
        op.reject("grad_in " + to_string(gradient.shape()) + " is not of shape " +
                  to_string(part.shape));
    const std::vector<int64_t> places = places_of(shape, part);
    const Tensor zeros = op.launch("ZerosLike", {Tensor(gradient.dtype(), {numel_of(shape)})});
    const Tensor index = Tensor::from<int64_t>({static_cast<int64_t>(places.size())},
                                               std::span<const int64_t>(places));
    op.result(op.launch("IndexPut", {zeros, gradient.reshaped({-1}), index}, {{"accumulate", true}})
                  .reshaped(shape),
              op.declared("grad_in"));
}

void give_written(Lowering& op, const Strided& part) {
    const Tensor& self = op.raw("self");
    op.result(written(op, op.launch("Identity", {self}), op.raw("src"), part), self.dtype());
}

void lower_slice_scatter(Lowering& op) {
    const Shape& shape = op.raw("self").shape();
    give_written(op,
                 sliced(op,
                        shape,
                        op.has("start") ? op.integer("start") : 0,
                        op.has("end") ? op.integer("end") : std::numeric_limits<int64_t>::max(),
                        op.integer("step")));
}

void lower_select_scatter(Lowering& op) {
    give_written(op, selected(op, op.raw("self").shape()));
}

void lower_diagonal_scatter(Lowering& op) {
    give_written(op, diagonal(op, op.raw("self").shape()));
}

/// A matrix with self on its diagonal for each of self's last axes.
void lower_diag_embed(Lowering& op) {
    const Tensor& self = op.raw("self");
    if (self.ndim() == 0) op.reject("self has no dimensions");
    const int64_t offset = op.integer("offset");
    const int64_t size = self.dim(-1) + std::abs(offset);
    const int64_t ndim = self.ndim() + 1;
    const int64_t dim1 = normalized_axis(op.integer("dim1"), ndim);
    const int64_t dim2 = normalized_axis(op.integer("dim2"), ndim);
    Shape shape(self.shape().begin(), self.shape().end() - 1);
    for (const int64_t axis : {std::min(dim1, dim2), std::max(dim1, dim2)})
        shape.insert(shape.begin() + axis, size);
    const Tensor zeros = op.launch("ZerosLike", {Tensor(self.dtype(), shape)});
    op.result(written(op, zeros, self, diagonal(op, shape)), self.dtype());
}

}  // namespace

std::span<const OpRow> subsets_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "diagonal(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor",
         .source = "spec",
         .lower = lower_diagonal},
        {.schema = "unfold(Tensor self, int dimension, int size, int step) -> Tensor",
         .source = "spec",
         .lower = lower_unfold},
        {.schema = "unbind.int(Tensor self, int dim=0) -> Tensor[]",
         .source = "spec",
         .lower = lower_unbind},
        {.schema = "narrow(Tensor self, int dim, int start, int length) -> Tensor",
         .source = "spec",
         .lower = lower_narrow},
        {.schema = "chunk(Tensor self, int chunks, int dim=0) -> Tensor[]",
         .source = "spec",
         .lower = lower_chunk},
        {.schema = "slice_backward(Tensor grad_output, int[] input_sizes, int dim, int start, int "
                   "end, int step) -> Tensor",
         .launches = {"ZerosLike"},
         .note = "ZerosLike; a copy into the part",
         .lower = lower_slice_gradient},
        {.schema =
             "select_backward(Tensor grad_output, int[] input_sizes, int dim, int index) -> Tensor",
         .launches = {"ZerosLike"},
         .note = "ZerosLike; a copy into the part",
         .lower = lower_select_gradient},
        {.schema = "diagonal_backward(Tensor grad_output, int[] input_sizes, int offset, int dim1, "
                   "int dim2) -> Tensor",
         .launches = {"ZerosLike"},
         .note = "ZerosLike; a copy into the part",
         .lower = lower_diagonal_gradient},
        {.schema = "unfold_backward(Tensor grad_in, int[] input_sizes, int dim, int size, int "
                   "step) -> Tensor",
         .launches = {"ZerosLike", "IndexPut"},
         .lower = lower_unfold_gradient},
        {.schema = "slice_scatter(Tensor self, Tensor src, int dim=0, int? start=None, int? "
                   "end=None, int step=1) -> Tensor",
         .launches = {"Identity"},
         .note = "Identity; a copy into the part",
         .lower = lower_slice_scatter},
        {.schema = "select_scatter(Tensor self, Tensor src, int dim, int index) -> Tensor",
         .launches = {"Identity"},
         .note = "Identity; a copy into the part",
         .lower = lower_select_scatter},
        {.schema = "diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int "
                   "dim2=1) -> Tensor",
         .launches = {"Identity"},
         .note = "Identity; a copy into the part",
         .lower = lower_diagonal_scatter},
        {.schema = "diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor",
         .launches = {"ZerosLike"},
         .note = "ZerosLike; a copy into the part",
         .lower = lower_diag_embed},
    });
    return kRows;
}

}  // namespace npuscope::backend
