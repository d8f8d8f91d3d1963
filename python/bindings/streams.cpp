// The stream of another framework's ops, as npuscope.torch drives it.
#include <pybind11/stl.h>

#include "core/base/error.h"
#include "core/naming/aliases.h"
#include "diagnose/run/run.h"
#include "python/bindings/hook_call.h"
#include "python/bindings/op_stream.h"
#include "python/bindings/parts.h"
#include "python/bindings/values.h"

namespace npuscope::python {

namespace {

std::shared_ptr<OpStream> make_stream(const std::shared_ptr<SeqidCounter>& counter,
                                      int device_code,
                                      const py::dict& facts,
                                      const py::object& chip,
                                      const std::vector<std::string>& settings) {
    std::unique_ptr<Executor> executor;
    std::vector<std::pair<std::string, std::string>> texts;
    if (!chip.is_none()) {
        executor = std::make_unique<Executor>(
            diagnose::device_from_names("npu", py::cast<std::string>(chip), "fp64", settings));
        texts = executor->run_facts();
    }
    for (const auto& [name, text] : facts)
        texts.emplace_back(py::cast<std::string>(name), py::cast<std::string>(text));
    return std::make_shared<OpStream>(counter, device_code, std::move(texts), std::move(executor));
}

/// `values`: (name, kind, object, strides) in schema order, kind one of Wanted's letters, strides
/// as NamedValue::strides.
std::unique_ptr<StreamOp> begin(OpStream& stream,
                                std::string name,
                                const py::list& values,
                                bool recorded,
                                const py::dict& source) {
    auto op = std::make_unique<StreamOp>();
    op->name = std::move(name);
    op->recorded = recorded;
    for (const py::handle item : values) {
        const auto row = py::reinterpret_borrow<py::tuple>(item);
        auto argument = py::cast<std::string>(row[0]);
        Value value = value_from(row[2], static_cast<Wanted>(py::cast<char>(row[1])), argument);
        op->inputs.push_back({std::move(argument),
                              std::move(value),
                              py::cast<std::vector<std::vector<int64_t>>>(row[3])});
    }
    const auto text = [&](const char* key) {
        return source.contains(key) ? py::cast<std::string>(source[key]) : std::string();
    };
    op->source.module = text("module");
    op->source.line = text("line");
    op->source.autograd = text("autograd");
    op->source.fallback = text("fallback");
    if (source.contains("given")) op->given = py::cast<std::vector<std::string>>(source["given"]);
    if (source.contains("thread")) op->source.thread = py::cast<int64_t>(source["thread"]);
    if (source.contains("step")) op->source.step = py::cast<int64_t>(source["step"]);
    const py::gil_scoped_release released;
    stream.begin(*op);
    return op;
}

/// {name: (value, strides)}
py::dict replaced(const StreamOp& op) {
    py::dict values;
    for (size_t i = 0; i < op.inputs.size(); ++i)
        if (op.replaced[i])
            values[py::str(op.inputs[i].name)] = py::make_tuple(
                to_python(op.inputs[i].value, TensorsAs::kTensor), op.inputs[i].strides);
    return values;
}

py::object outputs(const StreamOp& op) {
    py::list all;
    for (const NamedValue& item : op.outputs)
        all.append(py::make_tuple(item.name, to_python(item.value, TensorsAs::kTensor)));
    return all;
}

void end(OpStream& stream, StreamOp& op, const py::object& results) {
    if (!results.is_none()) {
        op.outputs.clear();
        for (const py::handle item : py::reinterpret_borrow<py::list>(results)) {
            const auto row = py::reinterpret_borrow<py::tuple>(item);
            auto name = py::cast<std::string>(row[0]);
            Value value = value_from(row[1], Wanted::kByObject, name);
            op.outputs.push_back({std::move(name), std::move(value)});
        }
    }
    const py::gil_scoped_release released;
    stream.end(op);
}

}  // namespace

void register_streams(py::module_& module) {
    py::class_<SeqidCounter, std::shared_ptr<SeqidCounter>>(module, "SeqidCounter")
        .def(py::init<>())
        .def("skip", [](SeqidCounter& counter) { ++counter.last; })
        .def_property_readonly("last",
                               [](const SeqidCounter& counter) { return counter.last.load(); });
    py::class_<StreamOp>(module, "StreamOp")
        .def_readonly("name", &StreamOp::name)
        .def_readonly("seqid", &StreamOp::seqid)
        .def_readonly("recorded", &StreamOp::recorded)
        .def_readonly("on_chip", &StreamOp::on_chip)
        .def_readonly("kernels", &StreamOp::kernels)
        .def_property_readonly("overflow", [](const StreamOp& op) { return op.status.overflow(); })
        .def_property_readonly(
            "compute_type",
            [](const StreamOp& op) { return std::string(npuscope::name_of(op.compute_type)); })
        .def_property_readonly("status", [](const StreamOp& op) { return op.status.bits; })
        .def_property_readonly("outputs", &outputs)
        .def_property_readonly("running_statistics",
                               [](const StreamOp& op) { return op.running_statistics; })
        .def_property(
            "fallback",
            [](const StreamOp& op) { return op.source.fallback; },
            [](StreamOp& op, const std::string& why) { op.source.fallback = why; })
        .def("replaced", &replaced);
    py::class_<OpStream, std::shared_ptr<OpStream>>(module, "OpStream")
        .def(py::init(&make_stream),
             py::arg("counter"),
             py::arg("device_code"),
             py::arg("facts"),
             py::arg("chip") = py::none(),
             py::arg("settings") = std::vector<std::string>())
        .def("begin",
             &begin,
             py::arg("name"),
             py::arg("values"),
             py::arg("recorded"),
             py::arg("source"))
        .def("accepts", &OpStream::accepts, py::arg("op"), py::arg("chip_op"))
        .def("compute",
             &OpStream::compute,
             py::arg("op"),
             py::arg("chip_op"),
             py::call_guard<py::gil_scoped_release>())
        .def("end", &end, py::arg("op"), py::arg("results") = py::none())
        .def("add_hook",
             [](OpStream& stream,
                const std::string& point,
                std::string pattern,
                py::function function) {
                 if (stream.executor() == nullptr)
                     throw Error(ErrorKind::kUsage, "hooks need a chip: use npu(chip)");
                 return stream.executor()->add_hook(
                     hook_point(point), std::move(pattern), python_hook(std::move(function)));
             })
        .def("remove_hook",
             [](OpStream& stream, int id) {
                 if (stream.executor() != nullptr) stream.executor()->remove_hook(id);
             })
        .def_property_readonly("observed", &OpStream::observed)
        .def_property_readonly("observer_errors", [](const OpStream& stream) {
            return py::make_tuple(stream.observer_error_count(), stream.first_observer_error());
        });
    module.def(
        "knows", [](const std::string& op) { return Executor::knows(op); }, py::arg("op"));
    module.def(
        "is_recorded", [](const std::string& op) { return is_recorded(op); }, py::arg("op"));
    module.def("aliases", [] {
        py::list rows;
        for (const Alias& row : all_aliases())
            rows.append(py::make_tuple(
                std::string(row.name), std::string(row.canonical), std::string(row.renames)));
        return rows;
    });
}

}  // namespace npuscope::python
