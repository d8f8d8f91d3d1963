// Times of ops and kernels, for executors and streams.
#include <pybind11/stl.h>

#include "diagnose/run/op_profile.h"
#include "python/bindings/locked_executor.h"
#include "python/bindings/op_stream.h"
#include "python/bindings/parts.h"

namespace npuscope::python {

namespace py = pybind11;

namespace {

struct Profile {
    std::shared_ptr<void> source;  // executor or stream, shared with Python
    std::unique_ptr<diagnose::OpProfile> profile;
};

std::unique_ptr<Profile> of_executor(const std::shared_ptr<LockedExecutor>& source) {
    return std::make_unique<Profile>(
        Profile{source, std::make_unique<diagnose::OpProfile>(source->executor)});
}

std::unique_ptr<Profile> of_stream(const std::shared_ptr<OpStream>& source) {
    return std::make_unique<Profile>(
        Profile{source, std::make_unique<diagnose::OpProfile>(*source)});
}

}  // namespace

void register_profiles(py::module_& module) {
    py::class_<Profile>(module, "OpProfile")
        .def(py::init(&of_executor), py::arg("source"))
        .def(py::init(&of_stream), py::arg("source"))
        .def("rows",
             [](const Profile& self) {
                 py::list rows;
                 for (const diagnose::ProfileRow& row : self.profile->rows())
                     rows.append(py::make_tuple(row.name, row.kernel, row.calls, row.seconds));
                 return rows;
             })
        .def("table", [](const Profile& self) { return self.profile->table(); })
        .def("chrome_trace", [](const Profile& self) { return self.profile->chrome_trace(); });
}

}  // namespace npuscope::python
