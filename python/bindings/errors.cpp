#include "python/bindings/errors.h"

#include <array>

#include "core/base/error.h"

namespace npuscope::python {

namespace {

/// In the order of ErrorKind.
constexpr std::array<const char*, 5> kClasses = {
    "UsageError", "IoError", "FormatError", "UnsupportedError", "InternalError"};

}  // namespace

void register_errors() {
    // NOLINTNEXTLINE(performance-unnecessary-value-param): pybind11's signature
    pybind11::register_exception_translator([](std::exception_ptr raised) {
        try {
            if (raised) std::rethrow_exception(raised);
        } catch (const Error& failure) {
            const char* name = kClasses[static_cast<size_t>(failure.kind())];
            const auto type = pybind11::module_::import("npuscope.errors").attr(name);
            PyErr_SetString(type.ptr(), failure.what());
        }
    });
}

}  // namespace npuscope::python
