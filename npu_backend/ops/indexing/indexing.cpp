// Ops that read or write places which index tensors or masks name.
#include <algorithm>
#include <array>
#include <optional>

#include "npu_backend/memory/strided.h"
#include "npu_backend/ops/lowering.h"
#include "npu_backend/ops/promotion.h"

namespace npuscope::backend {

namespace {

/// Index tensors of one shape over the first axes of a permuted tensor.
struct IndexedAxes {
    std::vector<Tensor> indices;
    std::vector<int64_t> order;  ///< self's axes: the indexed ones first
    size_t front = 0;            ///< where the indices' shape stands in the result
};

bool is_missing(const Tensor& tensor) {
    return tensor.dtype() == DType::kFloat32 && tensor.ndim() == 1 && tensor.numel() == 0;
}

/// A mask stands for one index a dimension. Source: PyTorch, advanced indexing as NumPy's.
std::vector<std::optional<Tensor>> expanded(Lowering& op, const Tensor& self) {
    std::vector<std::optional<Tensor>> all;
    for (const Tensor& given : op.raw_list("indices")) {
        if (is_missing(given)) {
            all.emplace_back();
        } else if (given.dtype() == DType::kBool || given.dtype() == DType::kUInt8) {
            const auto at = static_cast<int64_t>(all.size());
            for (int64_t axis = 0; axis < given.ndim(); ++axis)
                if (at + axis >= self.ndim() || given.dim(axis) != self.dim(at + axis))
                    op.reject("the mask " + to_string(given.shape()) + " does not fit self " +
                              to_string(self.shape()));
            const Tensor places = op.launch("NonZero", {given});
            for (int64_t axis = 0; axis < given.ndim(); ++axis)
                all.emplace_back(
                    op.computed("select_int",
                                {{"self", places}, {"dim", int64_t{1}}, {"index", axis}})
                        .at(0));
        } else if (is_float(given.dtype())) {
            op.reject("indices must be integers or bool");
        } else {
            all.emplace_back(given.cast(DType::kInt64));
        }
    }
    if (static_cast<int64_t>(all.size()) > self.ndim())
        op.reject("there are more indices than dimensions of self " + to_string(self.shape()));
    return all;
}

IndexedAxes places_of(Lowering& op, const Tensor& self) {
    const std::vector<std::optional<Tensor>> all = expanded(op, self);
    IndexedAxes places;
    Shape common;
    std::vector<int64_t> rest;
    bool adjacent = true;
    for (int64_t axis = 0; axis < self.ndim(); ++axis) {
        const auto at = static_cast<size_t>(axis);
        if (at < all.size() && all[at]) {
            adjacent = adjacent && (places.order.empty() || places.order.back() == axis - 1);
            common = broadcast_shapes(common, all[at]->shape());
            places.order.push_back(axis);
        } else {
            rest.push_back(axis);
        }
    }
    if (places.order.empty()) op.reject("at least one index is needed");
    for (const int64_t axis : places.order) {
        const Tensor& index = *all[static_cast<size_t>(axis)];
        places.indices.push_back(
            gather(index, {common, broadcast_strides(index.shape(), common), 0}));
    }
    places.front = adjacent ? static_cast<size_t>(places.order.front()) : 0;
    places.order.insert(places.order.end(), rest.begin(), rest.end());
    return places;
}

/// From [indices…, rest…] to where the indices' shape stands in the result, or back.
Tensor turned(const Tensor& tensor, const IndexedAxes& places, bool back) {
    const auto count = static_cast<size_t>(places.indices[0].ndim());
    const auto ndim = static_cast<size_t>(tensor.ndim());
    std::vector<int64_t> order;
    for (size_t axis = 0; axis < ndim; ++axis) {
        // Place `axis` of the result.
        const bool indexed = axis >= places.front && axis < places.front + count;
        order.push_back(static_cast<int64_t>(indexed               ? axis - places.front
                                             : axis < places.front ? axis + count
                                                                   : axis));
    }
    if (!back) return permuted(tensor, order);
    std::vector<int64_t> inverse(ndim);
    for (size_t axis = 0; axis < ndim; ++axis)
        inverse[static_cast<size_t>(order[axis])] = static_cast<int64_t>(axis);
    return permuted(tensor, inverse);
}

void lower_index(Lowering& op) {
    const Tensor& self = op.raw("self");
    const IndexedAxes places = places_of(op, self);
    std::vector<Tensor> inputs = {permuted(self, places.order)};
    inputs.insert(inputs.end(), places.indices.begin(), places.indices.end());
    op.result(turned(op.launch("Index", std::move(inputs)), places, false), self.dtype());
}

void lower_index_put(Lowering& op) {
    const bool accumulate = op.flag("accumulate");
    const DType dtype = op.declared("self");
    const Tensor self = accumulate ? op.tensor("self") : op.raw("self");
    const IndexedAxes places = places_of(op, self);
    const Tensor moved = permuted(self, places.order);
    // The values in the result's order, broadcast, then with the indices in front.
    Shape shape = places.indices[0].shape();
    const auto indexed = static_cast<int64_t>(places.indices.size());
    shape.insert(shape.end(), moved.shape().begin() + indexed, moved.shape().end());
    const Shape target = turned(Tensor(DType::kBool, shape), places, false).shape();
    Tensor values = op.raw("values");
    if (values.dtype() != dtype &&
        (values.ndim() != 0 || is_float(values.dtype()) != is_float(dtype)))
        op.reject("self and values differ in dtype");
    values = values.cast(self.dtype());
    values = gather(values, {target, broadcast_strides(values.shape(), target), 0});
    std::vector<Tensor> inputs = {moved, turned(values, places, true)};
    inputs.insert(inputs.end(), places.indices.begin(), places.indices.end());
    const Tensor y = op.launch("IndexPut", std::move(inputs), {{"accumulate", accumulate}});
    std::vector<int64_t> inverse(places.order.size());
    for (size_t axis = 0; axis < inverse.size(); ++axis)
        inverse[static_cast<size_t>(places.order[axis])] = static_cast<int64_t>(axis);
    op.result(permuted(y, inverse), dtype);
}

/// The axis of `dim` first; a tensor without dimensions has one.
struct OneAxis {
    Tensor tensor;
    std::vector<int64_t> order;
};

OneAxis axis_first(const Lowering& op, const Tensor& tensor) {
    OneAxis moved{tensor.ndim() == 0 ? tensor.reshaped({1}) : tensor, {}};
    const int64_t axis = normalized_axis(op.integer("dim"), moved.tensor.ndim());
    moved.order.push_back(axis);
    for (int64_t i = 0; i < moved.tensor.ndim(); ++i)
        if (i != axis) moved.order.push_back(i);
    moved.tensor = permuted(moved.tensor, moved.order);
    return moved;
}

Tensor axis_back(const OneAxis& moved, const Tensor& y, const Shape& shape) {
    std::vector<int64_t> inverse(moved.order.size());
    for (size_t i = 0; i < inverse.size(); ++i)
        inverse[static_cast<size_t>(moved.order[i])] = static_cast<int64_t>(i);
    return permuted(y, inverse).reshaped(shape);
}

Tensor index_of(const Lowering& op) {
    const Tensor& index = op.raw("index");
    if (index.ndim() > 1 || is_float(index.dtype()))
        op.reject("index must be a vector of integers");
    return index.reshaped({-1}).cast(DType::kInt64);
}

/// y[…, index[i], …] = or += source[…, i, …].
void put_along(Lowering& op, const Tensor& source, bool accumulate) {
    const Tensor self = accumulate ? op.tensor("self") : op.raw("self");
    const OneAxis x = axis_first(op, self);
    const Tensor index = index_of(op);
    Tensor values = source.cast(self.dtype());
    if (values.ndim() != 0 || self.ndim() == 0) {
        values = axis_first(op, values).tensor;
    } else {
        Shape shape = x.tensor.shape();
        shape[0] = index.numel();
        values = gather(values, {shape, std::vector<int64_t>(shape.size(), 0), 0});
    }
    op.result(
        axis_back(x,
                  op.launch("IndexPut", {x.tensor, values, index}, {{"accumulate", accumulate}}),
                  self.shape()),
        op.declared("self"));
}

void lower_index_add(Lowering& op) {
    Tensor source = op.tensor("source");
    if (op.declared("source") != op.declared("self")) op.reject("self and source differ in dtype");
    if (const double alpha = op.number("alpha"); alpha != 1.0) {
        if (!is_float(source.dtype())) op.reject("alpha must be 1 for integers");
        source = op.launch("Muls", {source}, {{"value", alpha}});
    }
    put_along(op, source, true);
}

void lower_index_copy(Lowering& op) {
    if (op.declared("source") != op.declared("self")) op.reject("self and source differ in dtype");
    put_along(op, op.raw("source"), false);
}

void lower_index_fill(Lowering& op) {
    put_along(op, Tensor::scalar<double>(op.number("value")), false);
}

void lower_index_fill_tensor(Lowering& op) {
    if (op.raw("value").numel() != 1) op.reject("value must have one element");
    put_along(op, op.raw("value").reshaped({}), false);
}

/// Both under their common shape.
std::pair<Tensor, Tensor> masked(const Lowering& op) {
    const Tensor& self = op.raw("self");
    const Tensor& mask = op.raw("mask");
    if (mask.dtype() != DType::kBool) op.reject("mask must be bool");
    const Shape shape = broadcast_shapes(self.shape(), mask.shape());
    return {gather(self, {shape, broadcast_strides(self.shape(), shape), 0}),
            gather(mask, {shape, broadcast_strides(mask.shape(), shape), 0})};
}

void lower_masked_scatter(Lowering& op) {
    const auto [self, mask] = masked(op);
    if (op.declared("source") != self.dtype()) op.reject("self and source differ in dtype");
    op.result(op.launch("MaskedScatter", {self, mask, op.raw("source")}), self.dtype());
}

void lower_masked_select(Lowering& op) {
    const auto [self, mask] = masked(op);
    op.result(op.launch("MaskedSelect", {self, mask}), self.dtype());
}

void lower_nonzero(Lowering& op) {
    op.result(op.launch("NonZero", {op.raw("self")}), DType::kInt64);
}

}  // namespace

std::span<const OpRow> indexing_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "index.Tensor(Tensor self, Tensor?[] indices) -> Tensor",
         .launches = {"NonZero", "Index"},
         .note = "NonZero of each mask; Index",
         .source = "table",
         .lower = lower_index},
        {.schema = "_unsafe_index.Tensor(Tensor self, Tensor?[] indices) -> Tensor",
         .launches = {"NonZero", "Index"},
         .note = "NonZero of each mask; Index",
         .lower = lower_index},
        {.schema = "index_put(Tensor self, Tensor?[] indices, Tensor values, bool "
                   "accumulate=False) -> Tensor",
         .launches = {"NonZero", "IndexPut"},
         .note = "NonZero of each mask; IndexPut",
         .source = "indirect",
         .lower = lower_index_put},
        {.schema = "_unsafe_index_put(Tensor self, Tensor?[] indices, Tensor values, bool "
                   "accumulate=False) -> Tensor",
         .launches = {"NonZero", "IndexPut"},
         .note = "NonZero of each mask; IndexPut",
         .lower = lower_index_put},
        {.schema = "index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar "
                   "alpha=1) -> Tensor",
         .launches = {"Muls", "IndexPut"},
         .note = "Muls(source, alpha) when alpha is not 1; IndexPut (CANN: InplaceIndexAdd)",
         .lower = lower_index_add},
        {.schema = "index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor",
         .launches = {"IndexPut"},
         .lower = lower_index_copy},
        {.schema =
             "index_fill.int_Scalar(Tensor self, int dim, Tensor index, Scalar value) -> Tensor",
         .launches = {"IndexPut"},
         .note = "IndexPut (CANN: IndexFillD)",
         .lower = lower_index_fill},
        {.schema =
             "index_fill.int_Tensor(Tensor self, int dim, Tensor index, Tensor value) -> Tensor",
         .launches = {"IndexPut"},
         .note = "IndexPut (CANN: IndexFillD)",
         .lower = lower_index_fill_tensor},
        {.schema = "masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor",
         .launches = {"MaskedScatter"},
         .source = "table",
         .lower = lower_masked_scatter},
        {.schema = "masked_select(Tensor self, Tensor mask) -> Tensor",
         .launches = {"MaskedSelect"},
         .source = "table",
         .lower = lower_masked_select},
        {.schema = "nonzero(Tensor self) -> Tensor",
         .launches = {"NonZero"},
         .source = "table",
         .lower = lower_nonzero},
    });
    return kRows;
}

}  // namespace npuscope::backend
