// Kernel dumps: AscendCL's three calls, dumps while loading, and the flow that maps ops to kernels.
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "diagnose/kernels/map.h"
#include "diagnose/run/run.h"
#include "ir_tbe_map/acl_session.h"
#include "python/bindings/interruptible.h"
#include "python/bindings/parts.h"
#include "python/bindings/scope.h"
#include "python/bindings/values.h"

namespace npuscope::python {

namespace {

namespace fs = std::filesystem;

py::dict summary_dict(const ir_tbe_map::KernelDumpSummary& summary) {
    py::list kernels;
    for (const ir_tbe_map::KernelFiles& files : summary.kernels) {
        py::dict row;
        row["op"] = files.op;
        row["seqid"] = files.seqid;
        row["type"] = files.type;
        row["op_name"] = files.op_name;
        row["task_id"] = files.task_id;
        row["stream_id"] = files.stream_id;
        row["timestamp"] = files.timestamp;
        row["files"] = files.names;
        kernels.append(row);
    }
    py::dict answer;
    answer["folder"] = summary.folder.empty() ? py::object(py::none())
                                              : py::object(py::str(summary.folder.string()));
    answer["kernels"] = kernels;
    answer["debug_files"] = summary.debug_files;
    return answer;
}

/// The source lives as long as what watches it.
struct Watched {
    std::shared_ptr<void> source;
    std::recursive_mutex* mutex = nullptr;

    template <class F>
    auto locked(F&& f) const {
        const py::gil_scoped_release released;
        if (mutex == nullptr) return f();
        const std::lock_guard lock(*mutex);
        return f();
    }
};

template <class Source>
Watched watched(const std::shared_ptr<Source>& source) {
    Watched row;
    row.source = source;
    if constexpr (std::is_same_v<Source, LockedExecutor>) row.mutex = &source->mutex;
    return row;
}

struct Session {
    Watched watched;
    ir_tbe_map::AclSession session;

    template <class Source>
    static std::unique_ptr<Session> make(const std::shared_ptr<Source>& source) {
        return std::unique_ptr<Session>(
            new Session{python::watched(source), ir_tbe_map::AclSession(events_of(*source))});
    }
};

struct KernelDump {
    Watched watched;
    std::shared_ptr<Scope> loading;  // asked whether an op has a golden run; may be null
    std::unique_ptr<ir_tbe_map::KernelDumpScope> scope;

    template <class Source>
    static std::unique_ptr<KernelDump> make(const std::shared_ptr<Source>& source,
                                            const fs::path& acl_json,
                                            std::shared_ptr<Scope> loading) {
        auto dump = std::make_unique<KernelDump>();
        dump->watched = python::watched(source);
        dump->loading = std::move(loading);
        ir_tbe_map::KernelDumpOptions options;
        options.config = ir_tbe_map::read_acl_config(acl_json);
        options.log = ir_tbe_map::DeviceLog::from_environment();
        if (dump->loading)
            options.wanted = [scope = dump->loading.get()] {
                return scope->scope && scope->scope->matched();
            };
        dump->scope = std::make_unique<ir_tbe_map::KernelDumpScope>(events_of(*source), options);
        return dump;
    }
    py::dict close() {
        return summary_dict(watched.locked([this] { return scope->close(); }));
    }
};

std::string map_ops(const fs::path& ops,
                    const std::string& chip_name,
                    const std::vector<std::string>& settings,
                    const std::optional<fs::path>& acl,
                    const std::optional<fs::path>& output,
                    const std::vector<std::string>& only) {
    return interruptible([&](const StopRequest& stop) {
        diagnose::MapOptions options;
        options.ops = ops;
        options.device = diagnose::device_from_names("npu", chip_name, "fp64", settings);
        if (acl) options.acl = *acl;
        if (output) options.output = *output;
        options.only = only;
        options.between_steps = [&] { stop.check(); };
        return to_json(diagnose::map_ops(options));
    });
}

}  // namespace

void register_kernel_dumps(py::module_& module) {
    py::class_<Session>(module, "AclSession")
        .def(py::init(&Session::make<LockedExecutor>), py::arg("source"))
        .def(py::init(&Session::make<OpStream>), py::arg("source"))
        .def("init_dump", [](Session& self) { self.session.init_dump(); })
        .def(
            "set_dump",
            [](Session& self, const fs::path& acl_json) {
                self.watched.locked([&] { self.session.set_dump(acl_json); });
            },
            py::arg("acl_json"))
        .def("finalize_dump", [](Session& self) {
            return summary_dict(self.watched.locked([&] { return self.session.finalize_dump(); }));
        });
    py::class_<KernelDump>(module, "KernelDump")
        .def(py::init(&KernelDump::make<LockedExecutor>),
             py::arg("source"),
             py::arg("acl_json"),
             py::arg("loading") = py::none())
        .def(py::init(&KernelDump::make<OpStream>),
             py::arg("source"),
             py::arg("acl_json"),
             py::arg("loading") = py::none())
        .def("close", &KernelDump::close);
    module.def("require_acl_dump_data_off", &ir_tbe_map::require_acl_dump_data_off);
    module.def("acl_dump_data", &ir_tbe_map::acl_dump_data);
    module.def("map_ops",
               &map_ops,
               py::arg("ops"),
               py::arg("chip"),
               py::arg("settings"),
               py::arg("acl") = py::none(),
               py::arg("output") = py::none(),
               py::arg("only") = std::vector<std::string>());
}

}  // namespace npuscope::python
