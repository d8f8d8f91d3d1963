// npuscope.Executor and what runs on it.
#pragma once

#include <pybind11/pybind11.h>

namespace npuscope::python {

/// Throws what Python's signal handler raised (KeyboardInterrupt), if anything. Called without
/// Python's lock, from the main thread; on others it does nothing.
void raise_pending_signal();

void register_executor(pybind11::module_& module);

}  // namespace npuscope::python
