// The extension module npuscope._core; what users call is the Python code beside it.
#include <pybind11/pybind11.h>

#include "core/base/version.h"
#include "python/bindings/errors.h"
#include "python/bindings/executor.h"
#include "python/bindings/hook_call.h"
#include "python/bindings/parts.h"
#include "python/bindings/values.h"

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
