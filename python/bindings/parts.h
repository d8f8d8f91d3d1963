// The parts of the extension module that have no header of their own: each adds what its file
// binds.
#pragma once

#include <pybind11/pybind11.h>

namespace npuscope::python {

void register_streams(pybind11::module_& module);
void register_scopes(pybind11::module_& module);
void register_dumps(pybind11::module_& module);
void register_flows(pybind11::module_& module);
void register_schemas(pybind11::module_& module);
void register_profiles(pybind11::module_& module);
void register_kernel_dumps(pybind11::module_& module);

}  // namespace npuscope::python
