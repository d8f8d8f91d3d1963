#include "diagnose/apis/lazy_tensors.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/error.h"
#include "npu_backend/executor.h"

namespace npuscope::diagnose {

namespace {

/// The first result of an op that only moves elements.
Tensor moved(const char* op, NamedValues arguments) {
    Executor executor(Device::reference64(), {.threads = 1, .bounded = true});
    return executor.call_named(op, std::move(arguments)).tensor();
}

}  // namespace

SourceTensor made_of(SourceTensor tensor,
                     DType dtype,
                     Shape shape,
                     std::function<Tensor(const Tensor&)> make) {
    tensor.dtype = name_of(dtype);
    tensor.shape = std::move(shape);
    if (tensor.open)
        tensor.open = [open = std::move(tensor.open), make = std::move(make)] {
            return std::make_unique<TensorElements>(make(open()->whole()));
        };
    return tensor;
}

DType dtype_of(const SourceTensor& tensor) {
    const auto dtype = dtype_from_name(tensor.dtype);
    if (!dtype) throw Error(ErrorKind::kUnsupported, "dtype " + tensor.dtype + " is not known");
    return *dtype;
}

int64_t dimension(int64_t dim, size_t ndim) {
    const auto count = static_cast<int64_t>(ndim);
    const int64_t own = dim < 0 ? dim + std::max<int64_t>(count, 1) : dim;
    if (own < 0 || own >= std::max<int64_t>(count, 1))
        throw Error(ErrorKind::kUnsupported,
                    "dimension " + std::to_string(dim) + " of " + std::to_string(count));
    return own;
}

SourceTensor reshaped(SourceTensor tensor, Shape shape) {
    const DType dtype = dtype_of(tensor);
    if (numel_of(shape) != numel_of(tensor.shape))
        throw Error(ErrorKind::kUnsupported,
                    to_string(tensor.shape) + " has not as many elements as " + to_string(shape));
    return made_of(std::move(tensor), dtype, shape, [shape](const Tensor& elements) {
        return elements.reshaped(shape);
    });
}

SourceTensor permuted(const SourceTensor& tensor, const std::vector<int64_t>& dims) {
    Shape shape;
    for (const int64_t dim : dims)
        shape.push_back(tensor.shape.at(static_cast<size_t>(dimension(dim, tensor.shape.size()))));
    return made_of(tensor, dtype_of(tensor), shape, [dims](const Tensor& elements) {
        return moved("permute", {{"self", elements}, {"dims", dims}});
    });
}

SourceTensor transposed(const SourceTensor& tensor, int64_t dim0, int64_t dim1) {
    const size_t ndim = tensor.shape.size();
    if (ndim == 0) return tensor;
    std::vector<int64_t> dims(ndim);
    std::iota(dims.begin(), dims.end(), 0);
    std::swap(dims[static_cast<size_t>(dimension(dim0, ndim))],
              dims[static_cast<size_t>(dimension(dim1, ndim))]);
    return permuted(tensor, dims);
}

SourceTensor expanded(const SourceTensor& tensor, const Shape& shape) {
    return made_of(tensor, dtype_of(tensor), shape, [shape](const Tensor& elements) {
        return moved("expand", {{"self", elements}, {"size", shape}});
    });
}

SourceTensor cast_to(const SourceTensor& tensor, DType dtype) {
    return made_of(tensor, dtype, tensor.shape, [dtype](const Tensor& elements) {
        return elements.cast(dtype);
    });
}

SourceTensor doubled(const SourceTensor& tensor) {
    return made_of(tensor, dtype_of(tensor), tensor.shape, [](const Tensor& elements) {
        return moved("mul_Scalar", {{"self", elements}, {"other", Scalar{2.0}}});
    });
}

}  // namespace npuscope::diagnose
