#include "npu_backend/ops/reduction/axes.h"

#include "npu_backend/memory/strided.h"

namespace npuscope::backend {

IntList axes_of(const Lowering& op, int64_t ndim) {
    IntList axes;
    if (op.declares("dim") && op.has("dim")) {
        const Value& dim = op.given("dim");
        if (const auto* one = std::get_if<int64_t>(&dim))
            axes = {normalized_axis(*one, ndim)};
        else
            for (const int64_t axis : op.ints("dim"))
                axes.push_back(normalized_axis(axis, ndim));
    }
    if (axes.empty())
        for (int64_t axis = 0; axis < ndim; ++axis)
            axes.push_back(axis);
    return axes;
}

bool keeps_axes(const Lowering& op) {
    return op.declares("keepdim") && op.flag("keepdim");
}

NamedValues reduction_of(const Lowering& op, int64_t ndim) {
    return {{"axes", axes_of(op, ndim)}, {"keep_dims", keeps_axes(op)}};
}

DType sum_type(const Lowering& op) {
    const DType own = op.declared("self");
    return op.dtype("dtype").value_or(is_float(own) ? own : DType::kInt64);
}

}  // namespace npuscope::backend
