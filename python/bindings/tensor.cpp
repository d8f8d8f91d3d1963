// npuscope.Tensor: a tensor of the library, for dtypes that NumPy lacks and for sharing without
// copies.
#include <pybind11/stl.h>

#include "core/base/error.h"
#include "core/tensor/statistics.h"
#include "python/bindings/values.h"

namespace npuscope::python {

namespace {

/// Copying more than this is worth letting other Python threads run.
constexpr size_t kLongCopy = size_t{1} << 18;

/// Python names memory by its address: that of a tensor of another library, which the caller holds.
std::byte* pointer_to(uintptr_t address) {
    return reinterpret_cast<std::byte*>(address);  // NOLINT(performance-no-int-to-ptr)
}

Tensor from_memory(uintptr_t address, const std::string& dtype, Shape shape) {
    const auto known = dtype_from_name(dtype);
    if (!known) throw Error(ErrorKind::kUsage, "there is no dtype '" + dtype + "' here");
    Tensor tensor(*known, std::move(shape));
    const size_t bytes = tensor.nbytes();
    if (bytes == 0) return tensor;
    std::byte* target = tensor.mutable_data();
    const std::byte* source = pointer_to(address);
    if (bytes < kLongCopy) {
        std::copy_n(source, bytes, target);
    } else {
        const py::gil_scoped_release released;
        std::copy_n(source, bytes, target);
    }
    return tensor;
}

void copy_to(const Tensor& tensor, uintptr_t address, size_t nbytes) {
    if (nbytes != tensor.nbytes())
        throw Error(ErrorKind::kUsage,
                    "the target has " + std::to_string(nbytes) + " bytes, the tensor " +
                        std::to_string(tensor.nbytes()));
    if (nbytes > 0) std::copy_n(tensor.data(), nbytes, pointer_to(address));
}

py::dict statistics(const Tensor& tensor) {
    Statistics found;
    {
        const py::gil_scoped_release released;
        found = statistics_of(tensor);
    }
    py::dict row;
    row["count"] = found.count;
    row["finite"] = found.finite;
    row["nan"] = found.nan;
    row["positive_inf"] = found.positive_inf;
    row["negative_inf"] = found.negative_inf;
    row["zero"] = found.zero;
    row["min"] = found.min;
    row["max"] = found.max;
    row["mean"] = found.mean;
    row["deviation"] = found.deviation;
    return row;
}

}  // namespace

void register_tensor(py::module_& module) {
    py::class_<DType>(module, "DType")
        .def(py::init([](const py::object& name) { return dtype_from(name); }), py::arg("name"))
        .def_property_readonly("name", [](DType dtype) { return std::string(name_of(dtype)); });
    py::class_<Tensor>(module, "Tensor")
        .def(py::init([](const py::object& array) { return tensor_from(array, "Tensor"); }),
             py::arg("array"))
        .def_static(
            "from_memory", &from_memory, py::arg("address"), py::arg("dtype"), py::arg("shape"))
        .def("copy_to", &copy_to, py::arg("address"), py::arg("nbytes"))
        .def_property_readonly(
            "dtype", [](const Tensor& tensor) { return std::string(name_of(tensor.dtype())); })
        .def_property_readonly(
            "shape", [](const Tensor& tensor) { return py::tuple(py::cast(tensor.shape())); })
        .def_property_readonly("ndim", &Tensor::ndim)
        .def_property_readonly("numel", &Tensor::numel)
        .def_property_readonly("nbytes", &Tensor::nbytes)
        .def(
            "cast",
            [](const Tensor& tensor, const py::object& dtype) {
                return tensor.cast(dtype_from(dtype));
            },
            py::arg("dtype"))
        .def("numpy", &to_array)
        .def(
            "__array__",
            [](const Tensor& tensor, const py::object& dtype) -> py::object {
                const Tensor& readable =
                    tensor.dtype() == DType::kBFloat16 ? tensor.cast(DType::kFloat32) : tensor;
                const py::array array = to_array(readable);
                return dtype.is_none() ? py::object(array) : array.attr("astype")(dtype);
            },
            py::arg("dtype") = py::none())
        .def("statistics", &statistics)
        .def("__eq__",
             [](const Tensor& a, const py::object& b) {
                 return py::isinstance<Tensor>(b) && identical(a, py::cast<Tensor>(b));
             })
        .def("__repr__", [](const Tensor& tensor) {
            return "npuscope.Tensor(" + std::string(name_of(tensor.dtype())) + " " +
                   to_string(tensor.shape()) + ")";
        });
}

}  // namespace npuscope::python
