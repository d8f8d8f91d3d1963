// Scopes that watch an executor or a stream: the dumper, and overflow.
#include <cstdio>
#include <regex>

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "core/base/error.h"
#include "core/dumpfile/paths.h"
#include "core/naming/pattern.h"
#include "diagnose/judge/live_judge.h"
#include "dumper/dump_scope.h"
#include "overflow/report.h"
#include "overflow/watcher.h"
#include "python/bindings/locked_executor.h"
#include "python/bindings/op_stream.h"
#include "python/bindings/parts.h"
#include "python/bindings/scope.h"
#include "python/bindings/values.h"

namespace npuscope::python {

namespace {

/// Which ops a scope keeps: names (or globs), regular expressions, training steps; empty lists are
/// no limit.
struct OpFilter {
    std::vector<std::string> names;
    std::vector<std::regex> patterns;
    std::vector<int64_t> steps;

    [[nodiscard]] bool keeps(std::string_view name, int64_t step) const {
        if (!steps.empty() && std::ranges::find(steps, step) == steps.end()) return false;
        if (names.empty() && patterns.empty()) return true;
        for (const std::string& wanted : names)
            if (fits_pattern(name, wanted)) return true;
        for (const std::regex& pattern : patterns)
            if (std::regex_search(name.begin(), name.end(), pattern)) return true;
        return false;
    }
};

OpFilter filter_from(const std::vector<std::string>& ops, const std::vector<int64_t>& steps) {
    OpFilter filter;
    filter.steps = steps;
    for (const std::string& text : ops) {
        if (!text.starts_with("re:")) {
            filter.names.push_back(text);
            continue;
        }
        try {
            filter.patterns.emplace_back(text.substr(3));
        } catch (const std::regex_error& failure) {
            throw Error(
                ErrorKind::kUsage,
                "ops: '" + text.substr(3) + "' is no regular expression: " + failure.what());
        }
    }
    return filter;
}

/// A RuntimeWarning on Python's main thread, as soon as that runs Python code. Threads: any,
/// without Python's lock: the program may hold it while it waits for the thread that calls this.
void warn_soon(const std::string& text) {
    auto said = std::make_unique<std::string>(text);
    const auto warn = [](void* given) {
        const std::unique_ptr<std::string> line(static_cast<std::string*>(given));
        // The program goes on, even one that makes errors of warnings.
        if (PyErr_WarnEx(PyExc_RuntimeWarning, line->c_str(), 1) != 0)
            PyErr_WriteUnraisable(nullptr);
        return 0;
    };
    if (Py_AddPendingCall(warn, said.get()) == 0)
        static_cast<void>(said.release());
    else
        std::fprintf(stderr, "npuscope: %s\n", text.c_str());
}

dumper::DumpOptions options_from(const py::dict& given) {
    dumper::DumpOptions options;
    options.on_stopped = warn_soon;
    const auto take = [&](const char* name, auto& target) {
        if (given.contains(name) && !given[name].is_none())
            target = py::cast<std::decay_t<decltype(target)>>(given[name]);
    };
    take("use_dump", options.use_dump);
    take("use_load", options.use_load);
    take("check_overflow", options.check_overflow);
    take("dump_path", options.dump_path);
    take("load_file_path", options.load_file_path);
    take("inputs", options.inputs);
    take("statistics", options.statistics);
    take("hashes", options.hashes);
    take("dump_inputs", options.dump_inputs);
    take("max_bytes", options.max_bytes);
    take("sample", options.sample);
    take("compress", options.compress);
    take("sync", options.sync);
    take("estimate", options.estimate);
    take("queue_bytes", options.queue_bytes);
    take("half_as_float32", options.half_as_float32);
    std::vector<std::string> ops;
    std::vector<int64_t> steps;
    take("ops", ops);
    take("steps", steps);
    if (!ops.empty() || !steps.empty())
        options.keep = [filter = filter_from(ops, steps)](const OpEnd& op) {
            return filter.keeps(op.name, op.source.step);
        };
    return options;
}

py::dict summary_dict(const dumper::DumpSummary& summary) {
    py::dict row;
    const auto text = [](const std::filesystem::path& path) -> py::object {
        return path.empty() ? py::object(py::none()) : py::str(path.string());
    };
    row["path"] = text(summary.path);
    row["inputs_path"] = text(summary.inputs_path);
    row["bytes"] = summary.bytes;
    row["ops_written"] = summary.ops_written;
    row["ops_seen"] = summary.ops_seen;
    row["complete"] = summary.complete;
    row["note"] = summary.note;
    row["unmatched"] = summary.unmatched;
    row["first_unmatched"] = summary.first_unmatched;
    row["replaced_tensors"] = summary.replaced_tensors;
    row["given_differ"] = summary.given_differ;
    py::list given;
    for (const dumper::GivenDifference& difference : summary.first_given)
        given.append(dumper::describe(difference));
    row["first_given"] = given;
    return row;
}

struct Watch {
    std::shared_ptr<void> source;  // as Scope's
    std::unique_ptr<overflow::OverflowWatcher> watcher;
    std::vector<overflow::OverflowRecord> fresh;  ///< since the last take()
};

py::dict record_dict(const overflow::OverflowRecord& record) {
    py::dict row;
    row["path"] = record.path();
    row["op"] = record.id.op;
    row["seqid"] = record.id.seqid;
    row["step"] = record.source.step;
    row["module"] = record.source.module;
    row["line"] = record.source.line;
    row["autograd"] = record.source.autograd;
    row["kind"] = std::string(name_of(record.kind));
    row["status"] = overflow::describe(record.status);
    row["kernels"] = record.kernels;
    row["via"] = record.via;
    row["from"] = record.from;
    row["origin"] = record.origin;
    return row;
}

/// Judges the ops that the stream's chip computes.
struct OpJudge {
    explicit OpJudge(const std::shared_ptr<OpStream>& stream) : source(stream) {
        if (stream->executor() == nullptr)
            throw Error(ErrorKind::kUsage, "no chip computes the ops of this stream");
        judge = std::make_unique<diagnose::LiveJudge>(*stream, stream->executor()->device());
    }
    std::shared_ptr<OpStream> source;  // outlives the judge
    std::unique_ptr<diagnose::LiveJudge> judge;
};

template <class Source>
std::shared_ptr<Scope> make_scope(const std::shared_ptr<Source>& source, const py::dict& given) {
    auto scope = std::make_shared<Scope>();
    scope->source = source;
    if constexpr (std::is_same_v<Source, LockedExecutor>) scope->mutex = &source->mutex;
    scope->scope = std::make_unique<dumper::DumpScope>(events_of(*source), options_from(given));
    return scope;
}

template <class Source>
std::unique_ptr<Watch> make_watch(const std::shared_ptr<Source>& source) {
    auto watch = std::make_unique<Watch>();
    watch->source = source;
    overflow::WatcherOptions options;
    options.on_overflow = [fresh = &watch->fresh](const overflow::OverflowRecord& record) {
        fresh->push_back(record);
    };
    watch->watcher = std::make_unique<overflow::OverflowWatcher>(events_of(*source), options);
    return watch;
}

}  // namespace

py::dict Scope::close(bool complete, const std::string& note) {
    if (!complete) scope->set_incomplete(note);
    dumper::DumpSummary summary;
    {
        const py::gil_scoped_release released;
        if (mutex != nullptr) {
            const std::lock_guard lock(*mutex);
            summary = scope->close();
        } else {
            summary = scope->close();
        }
    }
    return summary_dict(summary);
}

void Scope::forget() {
    if (scope) scope->forget();
    scope.reset();
    // The source's observers are gone with the parent; it stays until the child ends.
    static_cast<void>(new std::shared_ptr<void>(std::move(source)));
}

void register_scopes(py::module_& module) {
    py::class_<Scope, std::shared_ptr<Scope>>(module, "DumpScope")
        .def(py::init(&make_scope<LockedExecutor>), py::arg("source"), py::arg("options"))
        .def(py::init(&make_scope<OpStream>), py::arg("source"), py::arg("options"))
        .def("close", &Scope::close, py::arg("complete") = true, py::arg("note") = "")
        .def("forget", &Scope::forget);
    py::class_<OpFilter>(module, "OpFilter")
        .def(py::init(&filter_from), py::arg("ops"), py::arg("steps"))
        .def("keeps", &OpFilter::keeps, py::arg("name"), py::arg("step"));
    py::class_<OpJudge>(module, "OpJudge")
        .def(py::init<const std::shared_ptr<OpStream>&>(), py::arg("stream"))
        .def_property_readonly("judged", [](const OpJudge& self) { return self.judge->judged(); })
        .def_property_readonly("not_judged",
                               [](const OpJudge& self) { return self.judge->not_judged(); })
        .def_property_readonly("faults", [](const OpJudge& self) { return self.judge->faults(); })
        .def("close", [](OpJudge& self) { self.judge->close(); });
    py::class_<Watch>(module, "OverflowWatch")
        .def(py::init(&make_watch<LockedExecutor>), py::arg("source"))
        .def(py::init(&make_watch<OpStream>), py::arg("source"))
        .def("take",
             [](Watch& watch) {
                 py::list rows;
                 for (const auto& record : std::exchange(watch.fresh, {}))
                     rows.append(record_dict(record));
                 return rows;
             })
        .def("records",
             [](const Watch& watch) {
                 py::list rows;
                 for (const auto& record : watch.watcher->report().records)
                     rows.append(record_dict(record));
                 return rows;
             })
        .def("text", [](const Watch& watch) { return overflow::to_text(watch.watcher->report()); })
        .def("json", [](const Watch& watch) { return overflow::to_json(watch.watcher->report()); });
}

}  // namespace npuscope::python
