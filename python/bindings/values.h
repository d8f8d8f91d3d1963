// Python objects as arguments of IR ops, and results as Python objects.
#pragma once

#include <string_view>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "core/ir/value.h"

namespace npuscope::python {

namespace py = pybind11;

/// What a schema says of an argument, where the Python object alone does not tell.
enum class Wanted : char {
    kByObject = ' ',  ///< int, float, bool, str, dtype, None, array, list of ints, bools or arrays
    kScalar = 's',    ///< a number becomes a Scalar
    kIntList = 'I',
    kBoolMask = 'M',
    kTensorList = 'L',
    kFloatList = 'F',
};

/// NumPy arrays and anything that gives one through __array__ are copied; npuscope.Tensor is
/// shared. Errors: Error(kUsage) naming `what`.
[[nodiscard]] Value value_from(py::handle object, Wanted wanted, std::string_view what);
[[nodiscard]] Tensor tensor_from(py::handle object, std::string_view what);

enum class TensorsAs { kTensor, kArray };
/// With kArray a tensor becomes a new ndarray; bfloat16, which NumPy lacks, stays npuscope.Tensor.
[[nodiscard]] py::object to_python(const Value& value, TensorsAs form);
/// Elements copied. Errors: Error(kUnsupported) for bfloat16.
[[nodiscard]] py::array to_array(const Tensor& tensor);
/// One result as itself, several as a tuple.
[[nodiscard]] py::object results_to_python(const NamedValues& results, TensorsAs form);

/// The dtype of "float16" or of anything numpy.dtype() takes. Errors: Error(kUsage).
[[nodiscard]] DType dtype_from(py::handle object);

void register_tensor(py::module_& module);

}  // namespace npuscope::python
