// Whole flows: check a model, compare dumps, scan a dump for overflow.
#include <nlohmann/json.hpp>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "compare/ci/ci_report.h"
#include "compare/compare.h"
#include "compare/gate/gate_files.h"
#include "compare/report/beside_json.h"
#include "compare/report/report.h"
#include "core/base/error.h"
#include "core/base/json_value.h"
#include "diagnose/check/check.h"
#include "diagnose/check/check_files.h"
#include "diagnose/comparison/comparison.h"
#include "diagnose/run/model_inputs.h"
#include "diagnose/run/run.h"
#include "loss/report/report.h"
#include "overflow/scan.h"
#include "overflow/scan_report.h"
#include "page/page.h"
#include "python/bindings/interruptible.h"
#include "python/bindings/parts.h"
#include "python/bindings/values.h"

namespace npuscope::python {

namespace {

namespace fs = std::filesystem;

/// One list a column, one row a tensor, in the comparison's order.
struct Columns {
    py::list op, seqid, node, module, line, arguments, overflow, match, direction, argument, target,
        golden, dtype, shape, verdict;
    py::list rule, op_verdict, standard, standard_level, ignored;
    std::vector<py::list> metrics;

    void add(const compare::OpResult& run, const compare::TensorResult& tensor) {
        op.append(run.id.op);
        seqid.append(run.id.seqid);
        node.append(run.node);
        module.append(run.module);
        line.append(run.line);
        arguments.append(to_text(run.arguments));
        overflow.append(std::string(dumpfile::name_of(run.overflow)));
        match.append(run.match);
        direction.append(std::string(dumpfile::name_of(tensor.direction)));
        argument.append(tensor.argument);
        target.append(tensor.target);
        golden.append(tensor.golden);
        dtype.append(tensor.dtype);
        shape.append(py::tuple(py::cast(tensor.shape)));
        verdict.append(std::string(compare::name_of(tensor.judgement.verdict)));
        rule.append(tensor.judgement.rule);
        op_verdict.append(std::string(compare::name_of(run.judgement.verdict)));
        standard.append(tensor.standard.word);
        standard_level.append(std::string(compare::name_of(tensor.standard.level)));
        ignored.append(tensor.ignored);
        for (size_t i = 0; i < metrics.size(); ++i)
            metrics[i].append(i < tensor.metrics.size() ? tensor.metrics[i]
                                                        : compare::kUndefinedValue);
    }
};

py::dict columns_of(const compare::Result& result) {
    Columns columns;
    columns.metrics.resize(compare::all_metrics().size());
    for (const compare::OpResult& run : result.ops)
        for (const compare::TensorResult& tensor : run.tensors)
            columns.add(run, tensor);
    py::dict rows;
    rows["op"] = columns.op;
    rows["seqid"] = columns.seqid;
    rows["node"] = columns.node;
    rows["module"] = columns.module;
    rows["line"] = columns.line;
    rows["arguments"] = columns.arguments;
    rows["overflow"] = columns.overflow;
    rows["match"] = columns.match;
    rows["direction"] = columns.direction;
    rows["argument"] = columns.argument;
    rows["target"] = columns.target;
    rows["golden"] = columns.golden;
    rows["dtype"] = columns.dtype;
    rows["shape"] = columns.shape;
    rows["verdict"] = columns.verdict;
    rows["rule"] = columns.rule;
    rows["op_verdict"] = columns.op_verdict;
    if (result.standard) {
        rows["standard"] = columns.standard;
        rows["standard_level"] = columns.standard_level;
    }
    if (result.counts.ignored_tensors > 0) rows["ignored"] = columns.ignored;
    for (size_t i = 0; i < columns.metrics.size(); ++i)
        rows[py::str(std::string(compare::all_metrics()[i]->name))] = columns.metrics[i];
    return rows;
}

py::list overflow_of(const compare::Result& result) {
    py::list rows;
    for (const compare::OpResult& op : result.ops) {
        if (op.overflow == dumpfile::OverflowRole::kNone) continue;
        py::dict row;
        row["path"] = op.target;
        row["node"] = op.node;
        row["kind"] = std::string(dumpfile::name_of(op.overflow));
        row["note"] = op.overflow_note;
        rows.append(row);
    }
    return rows;
}

/// Which findings count.
struct GateRequest {
    fs::path waivers, baseline;
};

/// JSON of a part of a result; None without one.
py::object json_or_none(const std::optional<std::string>& text) {
    return text ? py::object(py::str(*text)) : py::object(py::none());
}

py::dict compare_recordings(const std::string& target,
                            const std::string& golden,
                            const diagnose::ComparisonRequest& request,
                            const GateRequest& gate,
                            const fs::path& output) {
    const compare::ReportOptions report{
        .target = target, .golden = golden, .options = diagnose::to_texts(request)};
    const compare::Result result = interruptible([&](const StopRequest& stop) {
        const compare::GateFiles files(gate.waivers, gate.baseline);
        diagnose::RecordingComparison comparison(request);
        const std::vector<compare::RunPair> pairs = comparison.prepare(target, golden);
        if (pairs.size() > 1)
            throw Error(ErrorKind::kUsage,
                        "these are trees of several runs; compare one step and rank of each side");
        compare::Result found = comparison.compare(
            pairs.front(), [&](int64_t, int64_t, const std::string&) { stop.check(); });
        files.judge(pairs.front(), found);
        if (!output.empty()) compare::write_reports(found, report, output);
        return found;
    });
    py::dict answer;
    answer["columns"] = columns_of(result);
    answer["verdict"] = std::string(compare::gated_verdict(result));
    answer["exit_code"] = result.gate ? result.gate->exit_code : result.exit_code();
    answer["load_mode"] = result.load_mode;
    answer["first_fail"] = result.first_culprit() == nullptr
                               ? py::object(py::none())
                               : py::str(result.first_culprit()->target);
    answer["overflow"] = overflow_of(result);
    py::list contradictions;
    for (const compare::ArithmeticFinding& each : result.contradictions)
        contradictions.append(each.text);
    answer["contradictions"] = contradictions;
    std::optional<std::string> standard;
    if (result.standard) standard = json_text(compare::summary_json(*result.standard, result), -1);
    answer["standard"] = json_or_none(standard);
    std::optional<std::string> counted;
    if (result.gate) counted = json_text(compare::gate_json(*result.gate), -1);
    answer["gate"] = json_or_none(counted);
    answer["notes"] = result.notes;
    answer["text"] = compare::report_named("terminal").write(result, report);
    return answer;
}

struct CheckFiles {
    std::optional<fs::path> input, golden, output;
};

std::string check(const fs::path& model,
                  const std::string& chip_name,
                  const std::vector<std::string>& settings,
                  const CheckFiles& files,
                  uint64_t seed,
                  diagnose::InputShapes shapes) {
    return interruptible([&](const StopRequest& stop) {
        diagnose::CheckOptions options;
        options.model = model;
        options.device = diagnose::device_from_names("npu", chip_name, "fp64", settings);
        options.input = files.input.value_or(fs::path());
        options.golden = files.golden.value_or(fs::path());
        options.output = files.output.value_or(fs::path());
        options.seed = seed;
        options.input_shapes = std::move(shapes);
        options.between_steps = [&] { stop.check(); };
        const diagnose::CheckReport report = diagnose::check(options);
        return options.output.empty()
                   ? diagnose::to_json(report)
                   : diagnose::write_check_files(report, nullptr, options.output, "");
    });
}

std::string scan(const fs::path& dump, double headroom) {
    return interruptible([&](const StopRequest& stop) {
        overflow::ScanOptions options;
        options.latent_binades = headroom;
        options.on_op = [&](int64_t, int64_t, const std::string&) { stop.check(); };
        return overflow::to_json(overflow::scan_dump(dump, options));
    });
}

std::string judge_losses(const std::string& golden,
                         const std::vector<std::string>& targets,
                         const std::vector<std::string>& like,
                         const std::string& precision,
                         int64_t accumulation,
                         bool any_start) {
    if (targets.empty()) throw Error(ErrorKind::kUsage, "no log to judge by the golden's");
    if (accumulation < 1)
        throw Error(ErrorKind::kUsage, "accumulation is a number of records, at least 1");
    const py::gil_scoped_release released;
    return loss::to_json(loss::compare_logs(
        golden, targets, like, {loss::precision_named(precision), accumulation, any_start}));
}

py::list input_rows(const onnx_model::Model& model) {
    py::list rows;
    for (const onnx_model::TensorInfo& input : model.inputs())
        rows.append(py::make_tuple(
            input.name, std::string(name_of(input.dtype)), py::tuple(py::cast(input.shape))));
    return rows;
}

void register_comparison(py::module_& module) {
    using Request = diagnose::ComparisonRequest;
    using Judging = diagnose::JudgingRequest;
    py::class_<Judging>(module, "JudgingRequest")
        .def(py::init<>())
        .def_readwrite("standard", &Judging::standard)
        .def_readwrite("third", &Judging::third)
        .def_readwrite("tolerances", &Judging::tolerances)
        .def_readwrite("ignore", &Judging::ignore)
        .def_readwrite("repeats", &Judging::repeats)
        .def_readwrite("noise", &Judging::noise)
        .def_readwrite("noise_out", &Judging::noise_out);
    py::class_<Request>(module, "ComparisonRequest")
        .def(py::init<>())
        .def_readwrite("tolerance", &Request::tolerance)
        .def_readwrite("judge", &Request::judge)
        .def_readwrite("chip", &Request::chip)
        .def_readwrite("target_class", &Request::target_class)
        .def_readwrite("judging", &Request::judging)
        .def_readwrite("allow_golden_at_fault", &Request::allow_golden_at_fault)
        .def_readwrite("inputs", &Request::inputs)
        .def("align", [](Request& request, std::optional<bool> wanted) {
            using When = compare::AlignOptions::When;
            request.align.when = !wanted   ? When::kWhereUnpaired
                                 : *wanted ? When::kAlways
                                           : When::kNever;
        });
    module.def(
        "compare",
        [](const std::string& target,
           const std::string& golden,
           const Request& request,
           const fs::path& waivers,
           const fs::path& baseline,
           const fs::path& output) {
            return compare_recordings(target, golden, request, {waivers, baseline}, output);
        },
        py::arg("target"),
        py::arg("golden"),
        py::arg("request"),
        py::arg("waivers"),
        py::arg("baseline"),
        py::arg("output"));
}

void register_checks(py::module_& module) {
    module.def(
        "check",
        // NOLINTNEXTLINE(readability-function-size): one for each keyword in Python
        [](const fs::path& model,
           const std::string& chip,
           const std::vector<std::string>& settings,
           const std::optional<fs::path>& input,
           const std::optional<fs::path>& golden,
           const std::optional<fs::path>& output,
           uint64_t seed,
           diagnose::InputShapes shapes) {
            return check(model, chip, settings, {input, golden, output}, seed, std::move(shapes));
        },
        py::arg("model"),
        py::arg("chip"),
        py::arg("settings"),
        py::arg("input") = py::none(),
        py::arg("golden") = py::none(),
        py::arg("output") = py::none(),
        py::arg("seed") = 0,
        py::arg("input_shapes") = diagnose::InputShapes());
    module.def("scan_overflow", &scan, py::arg("dump"), py::arg("headroom"));
    module.def("judge_losses",
               &judge_losses,
               py::arg("golden"),
               py::arg("targets"),
               py::arg("like"),
               py::arg("precision"),
               py::arg("accumulation"),
               py::arg("any_start"));
    module.attr("LATENT_BINADES") = overflow::kLatentBinades;
}

void register_pages(py::module_& module) {
    module.def(
        "page_html",
        [](const std::string& kind, const std::string& document) {
            const py::gil_scoped_release released;
            return page::page_html(page::read_result(document, kind), {});
        },
        py::arg("kind"),
        py::arg("document"));
    module.def(
        "write_page",
        [](const fs::path& path, const std::string& kind, const std::string& document) {
            const py::gil_scoped_release released;
            page::write_page(path, page::read_result(document, kind));
        },
        py::arg("path"),
        py::arg("kind"),
        py::arg("document"));
}

void register_arrays(py::module_& module) {
    module.def(
        "model_inputs",
        [](const fs::path& path) { return input_rows(onnx_model::Model::load(path)); },
        py::arg("model"));
    module.def(
        "seeded_inputs",
        [](const fs::path& path, uint64_t seed, const diagnose::InputShapes& shapes) {
            py::dict arrays;
            const auto model = onnx_model::Model::load(path);
            for (const auto& [name, tensor] : diagnose::seeded_model_inputs(model, seed, shapes))
                arrays[py::str(name)] = to_python(tensor, TensorsAs::kArray);
            return arrays;
        },
        py::arg("model"),
        py::arg("seed"),
        py::arg("input_shapes") = diagnose::InputShapes());
    module.def(
        "write_npz",
        [](const fs::path& path,
           const py::dict& arrays,
           const std::map<std::string, std::tuple<std::string, std::string, bool, std::string>>&
               histories) {
            NamedTensors tensors;
            for (const auto& [name, array] : arrays)
                tensors.emplace_back(py::cast<std::string>(name),
                                     tensor_from(array, py::cast<std::string>(name)));
            ArrayHistories known;
            for (const auto& [name, row] : histories) {
                const auto& [type, program, honest, fault] = row;
                known[name] = {compute_type_from_name(type).value_or(ComputeType::kNone),
                               program,
                               honest,
                               fault};
            }
            write_npz(path, tensors, known);
        },
        py::arg("path"),
        py::arg("arrays"),
        py::arg("histories") =
            std::map<std::string, std::tuple<std::string, std::string, bool, std::string>>());
}

}  // namespace

void register_flows(py::module_& module) {
    register_comparison(module);
    register_checks(module);
    register_pages(module);
    register_arrays(module);
}

}  // namespace npuscope::python
