// Whole flows: check a model, compare dumps, scan a dump for overflow.
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "compare/compare.h"
#include "compare/files.h"
#include "compare/report/report.h"
#include "core/base/error.h"
#include "diagnose/apis/api_calls.h"
#include "diagnose/check/check.h"
#include "diagnose/judge/split.h"
#include "diagnose/judge/sum_bounds.h"
#include "diagnose/run/model_inputs.h"
#include "diagnose/run/run.h"
#include "loss/report/report.h"
#include "overflow/scan.h"
#include "overflow/scan_report.h"
#include "python/bindings/interruptible.h"
#include "python/bindings/values.h"

namespace npuscope::python {

namespace {

namespace fs = std::filesystem;

/// One list a column, one row a tensor, in the comparison's order.
struct Columns {
    py::list op, seqid, node, module, line, arguments, overflow, match, direction, argument, target,
        golden, dtype, shape, verdict;
    py::list rule, op_verdict;
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

/// How much is computed again, and what is expected of it.
struct CompareJudging {
    std::string judge;
    std::optional<std::string> chip;
    std::optional<std::string> target_class;
    bool allow_golden_at_fault = false;
};

py::dict compare_dumps(const std::string& target,
                       const std::string& golden,
                       const std::optional<double>& tolerance,
                       bool inputs,
                       const std::optional<fs::path>& output,
                       const CompareJudging& judging) {
    std::unique_ptr<compare::Bounds> bounds;
    if (tolerance)
        bounds = std::make_unique<compare::FixedBounds>(*tolerance);
    else
        bounds = std::make_unique<compare::PrecisionBounds>();
    const compare::Result result = interruptible([&](const StopRequest& stop) {
        compare::Options options;
        options.inputs = inputs;
        options.judging =
            tolerance ? compare::Judging::kOff : compare::judging_named(judging.judge);
        options.allow_golden_at_fault = judging.allow_golden_at_fault;
        const diagnose::ExpectedArithmetic expected(judging.chip ? &chip(*judging.chip) : nullptr,
                                                    judging.target_class.value_or(""));
        if (expected.is_anything() && options.judging == compare::Judging::kOff)
            throw Error(ErrorKind::kUsage,
                        "chip and target_class say what arithmetic to expect; nothing is computed "
                        "that shows it with judge=\"off\" or a tolerance");
        diagnose::RecomputingSplitter splitter(0, {}, expected);
        options.splitter = &splitter;
        options.on_open = diagnose::describe_calls;
        options.on_op = [&](int64_t, int64_t, const std::string&) { stop.check(); };
        const diagnose::SumBounds sums(*bounds, target, golden);
        compare::Result found = compare::compare_files(target, golden, sums, options);
        if (output) compare::write_reports(found, {.target = target, .golden = golden}, *output);
        return found;
    });
    py::dict answer;
    answer["columns"] = columns_of(result);
    answer["verdict"] = std::string(compare::overall_verdict(result));
    answer["exit_code"] = result.exit_code();
    answer["load_mode"] = result.load_mode;
    answer["first_fail"] = result.first_culprit() == nullptr
                               ? py::object(py::none())
                               : py::str(result.first_culprit()->target);
    answer["overflow"] = overflow_of(result);
    py::list contradictions;
    for (const compare::ArithmeticFinding& each : result.contradictions)
        contradictions.append(each.text);
    answer["contradictions"] = contradictions;
    answer["text"] =
        compare::report_named("terminal").write(result, {.target = target, .golden = golden});
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
        return diagnose::to_json(diagnose::check(options));
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

}  // namespace

void register_flows(py::module_& module) {
    module.def(
        "compare",
        // NOLINTNEXTLINE(readability-function-size): one for each keyword in Python
        [](const std::string& target,
           const std::string& golden,
           const std::optional<double>& tolerance,
           bool inputs,
           const std::optional<fs::path>& output,
           const std::string& judge,
           const std::optional<std::string>& chip_name,
           const std::optional<std::string>& target_class,
           bool allow_golden_at_fault) {
            return compare_dumps(target,
                                 golden,
                                 tolerance,
                                 inputs,
                                 output,
                                 {.judge = judge,
                                  .chip = chip_name,
                                  .target_class = target_class,
                                  .allow_golden_at_fault = allow_golden_at_fault});
        },
        py::arg("target"),
        py::arg("golden"),
        py::arg("tolerance") = py::none(),
        py::arg("inputs") = true,
        py::arg("output") = py::none(),
        py::arg("judge") = "exact",
        py::arg("chip") = py::none(),
        py::arg("target_class") = py::none(),
        py::arg("allow_golden_at_fault") = false);
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

}  // namespace npuscope::python
