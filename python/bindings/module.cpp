// The extension module npuscope._core; what users call is the Python code beside it.
#include <pybind11/pybind11.h>

#include "core/base/version.h"
#include "python/bindings/errors.h"
#include "python/bindings/executor.h"
#include "python/bindings/hook_call.h"
#include "python/bindings/values.h"

namespace npuscope::python {

void register_streams(py::module_& module);
void register_scopes(py::module_& module);
void register_dumps(py::module_& module);
void register_flows(py::module_& module);
void register_schemas(py::module_& module);
void register_profiles(py::module_& module);
void register_kernel_dumps(py::module_& module);

}  // namespace npuscope::python

PYBIND11_MODULE(_core, module) {
    namespace python = npuscope::python;
    module.doc() = "C++ side of npuscope";
    module.attr("VERSION") = npuscope::kVersion;
    python::register_errors();
    python::register_tensor(module);
    python::register_hooks(module);
    python::register_executor(module);
    python::register_streams(module);
    python::register_scopes(module);
    python::register_dumps(module);
    python::register_flows(module);
    python::register_schemas(module);
    python::register_profiles(module);
    python::register_kernel_dumps(module);
}
