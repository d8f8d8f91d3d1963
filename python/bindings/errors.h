// The one C++ exception type as Python exceptions, one class a kind.
#pragma once

#include <pybind11/pybind11.h>

namespace npuscope::python {

/// Error(kind) becomes npuscope.UsageError, IoError, FormatError, UnsupportedError, InternalError;
/// their base is npuscope.Error. The classes live in the package (npuscope/errors.py).
void register_errors();

}  // namespace npuscope::python
