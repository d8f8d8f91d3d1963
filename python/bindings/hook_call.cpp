#include "python/bindings/hook_call.h"

#include "core/base/error.h"
#include "python/bindings/values.h"

namespace npuscope::python {

namespace {

[[noreturn]] void over() {
    throw Error(ErrorKind::kUsage,
                "the values of a hook can be used during the hook only; copy what is needed later");
}

void require_open(const HookValues& values) {
    if (values.named == nullptr && values.numbered == nullptr) over();
}

Value& named_value(const HookValues& values, const std::string& name) {
    require_open(values);
    if (values.named != nullptr)
        for (NamedValue& item : *values.named)
            if (item.name == name) return item.value;
    throw py::key_error(name);
}

Tensor& numbered_tensor(const HookValues& values, size_t index) {
    require_open(values);
    if (values.numbered == nullptr || index >= values.numbered->size())
        throw py::index_error("a kernel's tensor " + std::to_string(index) + " does not exist");
    return (*values.numbered)[index];
}

py::list keys(const HookValues& values) {
    require_open(values);
    py::list names;
    if (values.named != nullptr) {
        for (const NamedValue& item : *values.named)
            names.append(item.name);
    } else {
        for (size_t i = 0; i < values.numbered->size(); ++i)
            names.append(i);
    }
    return names;
}

/// An op's value keeps its kind: a number given for a Scalar is a Scalar.
void replace(Value& value, const py::object& given, const std::string& name) {
    const Wanted wanted = std::holds_alternative<Scalar>(value)       ? Wanted::kScalar
                          : std::holds_alternative<IntList>(value)    ? Wanted::kIntList
                          : std::holds_alternative<BoolMask>(value)   ? Wanted::kBoolMask
                          : std::holds_alternative<TensorList>(value) ? Wanted::kTensorList
                          : std::holds_alternative<FloatList>(value)  ? Wanted::kFloatList
                                                                      : Wanted::kByObject;
    if (std::holds_alternative<Tensor>(value))
        value = tensor_from(given, name);
    else
        value = value_from(given, wanted, name);
}

}  // namespace

PythonHookCall::PythonHookCall(HookCall& hook_call)
    : call(&hook_call), name(hook_call.name), op_name(hook_call.op_name), seqid(hook_call.seqid) {
    inputs->named = hook_call.inputs;
    inputs->numbered = hook_call.kernel_inputs;
    outputs->named = hook_call.outputs;
    outputs->numbered = hook_call.kernel_outputs;
}

void PythonHookCall::close() {
    call = nullptr;
    *inputs = {};
    *outputs = {};
}

HookPoint hook_point(const std::string& name) {
    if (name == "before_op") return HookPoint::kBeforeOp;
    if (name == "after_op") return HookPoint::kAfterOp;
    if (name == "before_kernel") return HookPoint::kBeforeKernel;
    if (name == "after_kernel") return HookPoint::kAfterKernel;
    throw Error(ErrorKind::kUsage,
                "there is no hook point '" + name +
                    "'; there are before_op, after_op, before_kernel and after_kernel");
}

Hook python_hook(py::function function) {
    // Shared by the copies that the executor makes, and freed under Python's lock.
    const std::shared_ptr<py::function> shared(new py::function(std::move(function)),
                                               [](py::function* held) {
                                                   const py::gil_scoped_acquire locked;
                                                   delete held;
                                               });
    return [shared](HookCall& call) {
        const py::gil_scoped_acquire locked;
        auto python_call = std::make_shared<PythonHookCall>(call);
        const auto close = [](PythonHookCall* open) { open->close(); };
        const std::unique_ptr<PythonHookCall, decltype(close)> guard(python_call.get(), close);
        (*shared)(python_call);
    };
}

void register_hooks(py::module_& module) {
    py::class_<HookValues, std::shared_ptr<HookValues>>(module, "HookValues")
        .def("__getitem__",
             [](const HookValues& values, const std::string& name) {
                 return to_python(named_value(values, name), TensorsAs::kArray);
             })
        .def("__getitem__",
             [](const HookValues& values, size_t index) {
                 return to_python(numbered_tensor(values, index), TensorsAs::kArray);
             })
        .def("__setitem__",
             [](const HookValues& values, const std::string& name, const py::object& given) {
                 replace(named_value(values, name), given, name);
             })
        .def("__setitem__",
             [](const HookValues& values, size_t index, const py::object& given) {
                 numbered_tensor(values, index) = tensor_from(given, "tensor of a kernel");
             })
        .def("append",
             [](const HookValues& values, const py::object& given) {
                 require_open(values);
                 if (values.numbered == nullptr)
                     throw Error(ErrorKind::kUsage, "an op's values have names: use values[name]");
                 values.numbered->push_back(tensor_from(given, "tensor of a kernel"));
             })
        .def("keys", &keys)
        .def("__iter__",
             [](const HookValues& values) { return py::iter(py::object(keys(values))); })
        .def("__contains__",
             [](const HookValues& values, const py::object& key) {
                 return py::cast<bool>(keys(values).attr("__contains__")(key));
             })
        .def("__len__", [](const HookValues& values) { return py::len(keys(values)); });

    py::class_<PythonHookCall, std::shared_ptr<PythonHookCall>>(module, "HookCall")
        .def_readonly("name", &PythonHookCall::name)
        .def_readonly("op_name", &PythonHookCall::op_name)
        .def_readonly("seqid", &PythonHookCall::seqid)
        .def_readonly("inputs", &PythonHookCall::inputs)
        .def_readonly("outputs", &PythonHookCall::outputs)
        .def_property(
            "skip",
            [](const PythonHookCall& self) {
                if (self.call == nullptr) over();
                return self.call->skip;
            },
            [](const PythonHookCall& self, bool skip) {
                if (self.call == nullptr) over();
                self.call->skip = skip;
            })
        .def_property(
            "status",
            [](const PythonHookCall& self) {
                if (self.call == nullptr) over();
                return self.call->status == nullptr ? uint64_t{0} : self.call->status->bits;
            },
            [](const PythonHookCall& self, uint64_t bits) {
                if (self.call == nullptr || self.call->status == nullptr) over();
                self.call->status->bits = bits;
            });
}

}  // namespace npuscope::python
