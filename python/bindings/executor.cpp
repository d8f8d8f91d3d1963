// npuscope.Executor: ops by name on an emulated chip or a reference.
#include "npu_backend/executor.h"

#include <pybind11/stl.h>

#include "core/base/error.h"
#include "diagnose/run/run.h"
#include "npu_backend/onnx/model.h"
#include "python/bindings/executor.h"
#include "python/bindings/hook_call.h"
#include "python/bindings/locked_executor.h"
#include "python/bindings/values.h"

namespace npuscope::python {

namespace {

NamedValues named_arguments(const std::string& op, const py::args& args, const py::kwargs& kwargs) {
    const std::vector<std::string_view> names = Executor::argument_names(op);
    if (args.size() > names.size())
        throw Error(ErrorKind::kUsage,
                    op + " takes " + std::to_string(names.size()) + " arguments, not " +
                        std::to_string(args.size()));
    NamedValues values;
    const std::string prefix = op + ": ";
    const auto add = [&](const std::string& name, py::handle object) {
        for (const NamedValue& given : values)
            if (given.name == name)
                throw Error(ErrorKind::kUsage,
                            std::string(prefix)
                                .append("argument '")
                                .append(name)
                                .append("' is given twice"));
        values.push_back({name, value_from(object, Wanted::kByObject, prefix + name)});
    };
    for (size_t i = 0; i < args.size(); ++i)
        add(std::string(names[i]), args[i]);
    for (const auto& [name, object] : kwargs)
        add(py::cast<std::string>(name), object);
    return values;
}

py::object call(LockedExecutor& self,
                const std::string& op,
                const py::args& args,
                const py::kwargs& kwargs) {
    NamedValues values = named_arguments(op, args, kwargs);
    Results results;
    {
        const py::gil_scoped_release released;
        const std::lock_guard lock(self.mutex);
        self.executor.assume_computed(values);
        results = self.executor.call_named(op, std::move(values));
    }
    return results_to_python(results.values(), TensorsAs::kArray);
}

/// Runs a model's nodes; a signal (Ctrl-C) ends it between two of them.
py::dict run_model(LockedExecutor& self, const std::string& path, const py::dict& inputs) {
    NamedTensors tensors;
    for (const auto& [name, array] : inputs) {
        const auto text = py::cast<std::string>(name);
        tensors.emplace_back(text, tensor_from(array, "input '" + text + "'"));
    }
    NamedTensors outputs;
    {
        const py::gil_scoped_release released;
        const auto model = onnx_model::Model::load(path);
        model.check_inputs(tensors);
        const std::lock_guard lock(self.mutex);
        outputs = model.run(self.executor, tensors, [](int64_t, int64_t, const std::string&) {
            raise_pending_signal();
        });
    }
    py::dict arrays;
    for (const auto& [name, tensor] : outputs)
        arrays[py::str(name)] = to_python(tensor, TensorsAs::kArray);
    return arrays;
}

py::dict facts(const LockedExecutor& self) {
    py::dict row;
    for (const auto& [name, text] : self.executor.run_facts())
        row[py::str(name)] = text;
    return row;
}

}  // namespace

void raise_pending_signal() {
    const py::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

void register_executor(py::module_& module) {
    py::class_<LockedExecutor, std::shared_ptr<LockedExecutor>>(module, "Executor")
        .def(py::init([](const std::string& device,
                         const std::vector<std::string>& settings,
                         bool record_views,
                         int threads) {
                 const bool reference = device == "fp64" || device == "fp32";
                 return std::make_shared<LockedExecutor>(
                     reference ? diagnose::device_from_names("cpu", "", device, settings)
                               : diagnose::device_from_names("npu", device, "fp64", settings),
                     ExecutorOptions{.record_views = record_views, .threads = threads});
             }),
             py::arg("device"),
             py::arg("settings"),
             py::arg("record_views"),
             py::arg("threads"))
        .def("call", &call)
        .def("run_model", &run_model, py::arg("model"), py::arg("inputs"))
        .def(
            "add_hook",
            [](LockedExecutor& self,
               const std::string& point,
               std::string pattern,
               py::function function) {
                Hook hook = python_hook(std::move(function));
                const HookPoint where = hook_point(point);
                const py::gil_scoped_release released;
                const std::lock_guard lock(self.mutex);
                return self.executor.add_hook(where, std::move(pattern), std::move(hook));
            },
            py::arg("point"),
            py::arg("pattern"),
            py::arg("function"))
        .def(
            "remove_hook",
            [](LockedExecutor& self, int id) {
                const py::gil_scoped_release released;
                const std::lock_guard lock(self.mutex);
                self.executor.remove_hook(id);
            },
            py::arg("id"))
        .def("facts", &facts)
        .def_property_readonly("observer_errors",
                               [](const LockedExecutor& self) {
                                   return py::make_tuple(self.executor.observer_error_count(),
                                                         self.executor.first_observer_error());
                               })
        .def_property_readonly(
            "description",
            [](const LockedExecutor& self) { return self.executor.device().description(); })
        .def_property_readonly(
            "last_seqid", [](const LockedExecutor& self) { return self.executor.last_seqid(); });

    module.def("known_ops", [] {
        py::list names;
        for (const std::string_view name : Executor::known_ops())
            names.append(py::str(name.data(), name.size()));
        return names;
    });
    module.def(
        "argument_names",
        [](const std::string& op) {
            py::list names;
            for (const std::string_view name : Executor::argument_names(op))
                names.append(py::str(name.data(), name.size()));
            return names;
        },
        py::arg("op"));
    module.def("chips", [] {
        py::dict rows;
        for (const Chip& row : all_chips())
            rows[py::str(row.name.data(), row.name.size())] =
                py::str(row.description.data(), row.description.size());
        return rows;
    });
}

}  // namespace npuscope::python
