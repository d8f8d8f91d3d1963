#include "python/bindings/values.h"

#include <string>

#include "core/base/error.h"

namespace npuscope::python {

namespace {

std::string type_name(py::handle object) {
    return py::str(py::type::handle_of(object).attr("__name__"));
}

[[noreturn]] void refuse(std::string_view what, const std::string& why) {
    throw Error(ErrorKind::kUsage, std::string(what) + ": " + why);
}

bool is_sequence(py::handle object) {
    return py::isinstance<py::list>(object) || py::isinstance<py::tuple>(object);
}

bool is_numpy_number(py::handle object) {
    return py::hasattr(object, "dtype") && py::hasattr(object, "item") &&
           py::isinstance(object, py::module_::import("numpy").attr("generic"));
}

IntList int_list(py::handle object, std::string_view what) {
    IntList list;
    for (const py::handle item : object) {
        if (!py::isinstance<py::int_>(item) && !py::hasattr(item, "__index__"))
            refuse(what, "a list of ints holds a " + type_name(item));
        list.push_back(py::cast<int64_t>(py::module_::import("operator").attr("index")(item)));
    }
    return list;
}

FloatList float_list(py::handle object, std::string_view what) {
    FloatList list;
    for (const py::handle item : object) {
        if (!py::isinstance<py::float_>(item) && !py::isinstance<py::int_>(item))
            refuse(what, "a list of numbers holds a " + type_name(item));
        list.push_back(py::cast<double>(item));
    }
    return list;
}

BoolMask mask(py::handle object) {
    BoolMask bits;
    for (const py::handle item : object)
        bits.bits.push_back(py::cast<bool>(py::bool_(py::reinterpret_borrow<py::object>(item))));
    return bits;
}

TensorList tensor_list(py::handle object, std::string_view what) {
    TensorList list;
    // An absent element keeps its place.
    for (const py::handle item : object)
        list.push_back(item.is_none() ? Tensor() : tensor_from(item, what));
    return list;
}

Value list_by_elements(py::handle object, std::string_view what) {
    bool all_bool = true;
    bool all_int = true;
    for (const py::handle item : object) {
        const bool is_bool = PyBool_Check(item.ptr()) != 0;
        all_bool = all_bool && is_bool;
        all_int = all_int && !is_bool && PyLong_Check(item.ptr()) != 0;
    }
    if (py::len(object) == 0 || all_int) return int_list(object, what);
    if (all_bool) return mask(object);
    bool numbers_only = true;
    for (const py::handle item : object)
        numbers_only = numbers_only && (PyFloat_Check(item.ptr()) || PyLong_Check(item.ptr()));
    // [1.0, 2.0] is meant as an array, as NumPy takes it.
    if (numbers_only || is_sequence(py::reinterpret_borrow<py::object>(object)[py::int_(0)]))
        return tensor_from(object, what);
    return tensor_list(object, what);
}

}  // namespace

Tensor tensor_from(py::handle object, std::string_view what) {
    if (py::isinstance<Tensor>(object)) return py::cast<Tensor>(object);
    const py::module_ numpy = py::module_::import("numpy");
    const py::object array = numpy.attr("ascontiguousarray")(object);
    const py::object dtype = array.attr("dtype");
    const std::string name = py::str(dtype.attr("name"));
    const auto known = dtype_from_name(name);
    if (!known || *known == DType::kBFloat16)
        refuse(what, "elements of type " + name + " of a " + type_name(object) + " cannot be used");
    if (!py::cast<bool>(dtype.attr("isnative")))
        refuse(what, "the array has the other byte order; array.astype('" + name + "') mends it");
    const auto given = py::cast<py::array>(py::reinterpret_borrow<py::object>(object).is_none()
                                               ? array
                                               : numpy.attr("asarray")(object));
    // ascontiguousarray() makes rank 0 rank 1.
    const Shape shape(given.shape(), given.shape() + given.ndim());
    return Tensor::copy_of(*known, shape, py::cast<py::array>(array).data());
}

DType dtype_from(py::handle object) {
    if (py::isinstance<py::str>(object)) {
        if (const auto known = dtype_from_name(py::cast<std::string>(object))) return *known;
    }
    const std::string name =
        py::str(py::module_::import("numpy").attr("dtype")(object).attr("name"));
    if (const auto known = dtype_from_name(name)) return *known;
    throw Error(ErrorKind::kUsage, "there is no dtype '" + name + "' here");
}

Value value_from(py::handle object, Wanted wanted, std::string_view what) {
    if (object.is_none()) return {};
    if (is_numpy_number(object)) return value_from(py::object(object.attr("item")()), wanted, what);
    switch (wanted) {
        case Wanted::kIntList:
            if (is_sequence(object)) return int_list(object, what);
            break;
        case Wanted::kBoolMask:
            if (is_sequence(object)) return mask(object);
            break;
        case Wanted::kTensorList:
            if (is_sequence(object)) return tensor_list(object, what);
            break;
        case Wanted::kFloatList:
            if (is_sequence(object)) return float_list(object, what);
            break;
        default:
            break;
    }
    const bool scalar = wanted == Wanted::kScalar;
    if (PyBool_Check(object.ptr()) != 0) {
        const bool value = object.ptr() == Py_True;
        return scalar ? Value(Scalar{value}) : Value(value);
    }
    if (PyLong_Check(object.ptr()) != 0) {
        const auto value = py::cast<int64_t>(object);
        return scalar ? Value(Scalar{value}) : Value(value);
    }
    if (PyFloat_Check(object.ptr()) != 0) {
        const auto value = py::cast<double>(object);
        return scalar ? Value(Scalar{value}) : Value(value);
    }
    if (PyType_Check(object.ptr()) != 0 ||
        py::isinstance(object, py::module_::import("numpy").attr("dtype")))
        return dtype_from(object);
    if (py::isinstance<DType>(object)) return py::cast<DType>(object);
    if (py::isinstance<py::str>(object)) return py::cast<std::string>(object);
    if (is_sequence(object)) return list_by_elements(object, what);
    if (py::isinstance<Tensor>(object) || py::hasattr(object, "__array__"))
        return tensor_from(object, what);
    refuse(what, "a " + type_name(object) + " is no argument of an op");
}

py::array to_array(const Tensor& tensor) {
    if (tensor.dtype() == DType::kBFloat16)
        throw Error(ErrorKind::kUnsupported,
                    "NumPy has no bfloat16; .cast('float32').numpy() gives the same values");
    return py::array(py::dtype(std::string(info(tensor.dtype()).numpy_descr)),
                     std::vector<py::ssize_t>(tensor.shape().begin(), tensor.shape().end()),
                     tensor.data());
}

py::object to_python(const Value& value, TensorsAs form) {
    const auto tensor = [form](const Tensor& t) -> py::object {
        if (form == TensorsAs::kTensor || t.dtype() == DType::kBFloat16) return py::cast(t);
        return to_array(t);
    };
    return std::visit(
        [&](const auto& held) -> py::object {
            using T = std::decay_t<decltype(held)>;
            if constexpr (std::is_same_v<T, std::monostate>) {
                return py::none();
            } else if constexpr (std::is_same_v<T, Tensor>) {
                return tensor(held);
            } else if constexpr (std::is_same_v<T, TensorList>) {
                py::list list;
                for (const Tensor& item : held)
                    list.append(tensor(item));
                return list;
            } else if constexpr (std::is_same_v<T, Scalar>) {
                return std::visit([](auto number) -> py::object { return py::cast(number); },
                                  held.number);
            } else if constexpr (std::is_same_v<T, IntList>) {
                py::list list;
                for (const int64_t item : held)
                    list.append(item);
                return list;
            } else if constexpr (std::is_same_v<T, BoolMask>) {
                py::list list;
                for (const bool item : held.bits)
                    list.append(item);
                return list;
            } else if constexpr (std::is_same_v<T, DType>) {
                return py::str(std::string(name_of(held)));
            } else {
                return py::cast(held);
            }
        },
        value);
}

py::object results_to_python(const NamedValues& results, TensorsAs form) {
    if (results.size() == 1) return to_python(results[0].value, form);
    py::tuple all(results.size());
    for (size_t i = 0; i < results.size(); ++i)
        all[i] = to_python(results[i].value, form);
    return all;
}

}  // namespace npuscope::python
