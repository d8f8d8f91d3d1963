// npuscope run MODEL.onnx: one run on the reference or an emulated chip, with any observers.
#include "diagnose/run/run.h"

#include <algorithm>
#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/interrupts.h"
#include "cli/options/device_options.h"
#include "cli/options/input_options.h"
#include "core/base/json_value.h"
#include "core/base/printable.h"
#include "core/tensor/statistics.h"
#include "overflow/report.h"

namespace npuscope::cli {

namespace {

struct RunArguments {
    diagnose::RunOptions run;
    DeviceOptions device;
    std::vector<std::string> input_shapes;
    std::string loss_scale;
    std::filesystem::path check_overflow;  ///< where a dump of the ops that overflow goes
};

std::string describe(const std::string& name, const Tensor& tensor) {
    const Statistics found = statistics_of(tensor);
    std::string text =
        fmt::format("{} {}{}", printable(name), name_of(tensor.dtype()), to_string(tensor.shape()));
    if (found.count > found.nan)
        text +=
            fmt::format("  min {:.6g}  max {:.6g}", found.min_of_numbers(), found.max_of_numbers());
    if (found.nan > 0) text += fmt::format("  {} nan", found.nan);
    return text;
}

std::string dump_line(const dumper::DumpSummary& dump) {
    if (dump.path.empty() && dump.bytes > 0)
        return fmt::format("would take {:.1f} MB for {} of {} ops; nothing was written",
                           static_cast<double>(dump.bytes) / 1e6,
                           dump.ops_written,
                           dump.ops_seen);
    if (dump.path.empty()) return fmt::format("nothing to write ({} ops seen)", dump.ops_seen);
    std::string text = fmt::format(
        "{}: {} of {} ops", printable(dump.path.string()), dump.ops_written, dump.ops_seen);
    if (!dump.note.empty()) text += (dump.complete ? "; " : "; incomplete: ") + dump.note;
    return text;
}

void print_kernels(const ir_tbe_map::KernelDumpSummary& kernels) {
    if (kernels.folder.empty()) {
        fmt::print("kernels   none dumped\n");
        return;
    }
    fmt::print(
        "kernels   {}: {} dumps", printable(kernels.folder.string()), kernels.kernels.size());
    if (!kernels.debug_files.empty())
        fmt::print(", {} overflow records", kernels.debug_files.size());
    fmt::print("\n");
}

/// First the kernels that depend most on the order inside the Cube, relative to their largest
/// value.
void print_cube_range(std::vector<CubeRange> rows) {
    constexpr size_t kShown = 5;
    int64_t sensitive = 0;
    int64_t numel = 0;
    for (const CubeRange& row : rows) {
        sensitive += row.sensitive;
        numel += row.numel;
    }
    fmt::print("cube      {} of {} elements depend on the order of the sum, which is not public\n",
               sensitive,
               numel);
    const auto relative = [](const CubeRange& row) {
        return row.largest_value > 0 ? row.largest_spread / row.largest_value : 0.0;
    };
    std::stable_sort(rows.begin(), rows.end(), [&](const CubeRange& a, const CubeRange& b) {
        return relative(a) > relative(b);
    });
    for (size_t i = 0; i < std::min(kShown, rows.size()); ++i)
        fmt::print("          /{}/{} {}: {} of {}, up to {:.3g} of the largest value\n",
                   rows[i].op_name,
                   rows[i].seqid,
                   rows[i].kernel,
                   rows[i].sensitive,
                   rows[i].numel,
                   relative(rows[i]));
}

void print_text(const RunArguments& arguments, const diagnose::RunReport& report) {
    fmt::print("model     {}\n", printable(arguments.run.model.string()));
    fmt::print("device    {}\n", arguments.run.device.description());
    const Device& device = arguments.run.device;
    if (device.policy == Policy::kChip)
        if (const std::string set = changes(device.options, *device.chip); !set.empty())
            fmt::print("set       {}\n", set);
    fmt::print("ops       {} in {:.2f} s\n", report.ops, report.seconds);
    fmt::print("inputs    {}{}\n",
               report.inputs,
               arguments.run.input.empty()
                   ? fmt::format("; seeded uniform(-1, 1), seed {}", arguments.run.seed)
                   : "");
    if (!report.open_sizes.empty())
        fmt::print("          the model leaves sizes open and 1 was taken: {} (--input-shape)\n",
                   report.open_sizes);
    for (const auto& [name, tensor] : report.outputs)
        fmt::print("output    {}\n", describe(name, tensor));
    for (const diagnose::OutputDifference& output : report.expectation) {
        if (!output.incomparable.empty()) {
            fmt::print("expect    {}: cannot be compared: {}\n",
                       printable(output.name),
                       output.incomparable);
            continue;
        }
        const bool met = output.relative <= arguments.run.expect_tolerance;
        fmt::print(
            "expect    {}: max error {:.3g} = {:.3g} of the largest value: {} (tolerance {:g})\n",
            printable(output.name),
            output.max_abs,
            output.relative,
            met ? "met" : "NOT met",
            arguments.run.expect_tolerance);
    }
    for (const LossScaleStep& step : report.loss_scale)
        fmt::print("loss      scale {:g}: {}{}\n",
                   step.scale,
                   step.overflow ? "overflow" : "no overflow",
                   step.skipped ? ", the step is skipped" : "; gradients divided by it");
    if (report.accuracy)
        fmt::print("accuracy  {}/{}  {:.2f} %\n",
                   report.accuracy->hits,
                   report.accuracy->samples,
                   100.0 * static_cast<double>(report.accuracy->hits) /
                       static_cast<double>(report.accuracy->samples));
    if (report.dump) {
        fmt::print("dump      {}\n", dump_line(*report.dump));
        if (arguments.run.dump.use_load) {
            fmt::print("loaded    {} tensors replaced, {} ops without a match\n",
                       report.dump->replaced_tensors,
                       report.dump->unmatched);
            for (const std::string& op : report.dump->first_unmatched)
                fmt::print("          {}\n", printable(op));
            if (report.dump->given_differ > 0)
                fmt::print("given     {} tensors that no op computed are not the golden's:\n",
                           report.dump->given_differ);
            for (const dumper::GivenDifference& difference : report.dump->first_given)
                fmt::print("          {}\n", dumper::describe(difference));
        }
    }
    if (report.kernels) print_kernels(*report.kernels);
    if (arguments.run.cube_range) print_cube_range(report.cube_ranges);
    fmt::print("{}", report.profile_table);
    fmt::print("overflow  {}", overflow::to_text(report.overflow));
}

nlohmann::json to_json(const RunArguments& arguments, const diagnose::RunReport& report) {
    nlohmann::json root = {{"version", 1},
                           {"model", arguments.run.model.string()},
                           {"device", arguments.run.device.description()},
                           {"inputs", report.inputs},
                           {"ops", report.ops},
                           {"seconds", report.seconds},
                           {"overflow", nlohmann::json::parse(overflow::to_json(report.overflow))}};
    if (arguments.run.device.policy == Policy::kChip)
        for (const OptionRow& row : all_options())
            root["options"][std::string(row.key)] =
                row.access.get(arguments.run.device.options, row);
    for (const auto& [name, tensor] : report.outputs)
        root["outputs"][name] = {{"dtype", name_of(tensor.dtype())}, {"shape", tensor.shape()}};
    if (report.kernels)
        root["kernels"] = {{"folder", report.kernels->folder.string()},
                           {"count", report.kernels->kernels.size()},
                           {"debug_files", report.kernels->debug_files}};
    for (const diagnose::OutputDifference& output : report.expectation)
        root["expect"][output.name] = {
            {"max_abs", output.max_abs},
            {"relative", output.relative},
            {"incomparable", output.incomparable},
            {"met",
             output.incomparable.empty() && output.relative <= arguments.run.expect_tolerance}};
    for (const LossScaleStep& step : report.loss_scale)
        root["loss_scale"].push_back(
            {{"scale", step.scale}, {"overflow", step.overflow}, {"skipped", step.skipped}});
    for (const CubeRange& row : report.cube_ranges)
        root["cube_range"].push_back({{"op", "/" + row.op_name + "/" + std::to_string(row.seqid)},
                                      {"kernel", row.kernel},
                                      {"elements", row.numel},
                                      {"order_sensitive", row.sensitive},
                                      {"largest_spread", row.largest_spread},
                                      {"largest_value", row.largest_value}});
    if (report.accuracy)
        root["accuracy"] = {{"hits", report.accuracy->hits}, {"samples", report.accuracy->samples}};
    if (report.dump)
        root["dump"] = {{"path", report.dump->path.string()},
                        {"bytes", report.dump->bytes},
                        {"ops_written", report.dump->ops_written},
                        {"ops_seen", report.dump->ops_seen},
                        {"complete", report.dump->complete},
                        {"note", report.dump->note},
                        {"unmatched", report.dump->unmatched},
                        {"given_differ", report.dump->given_differ}};
    return root;
}

int run_model(RunArguments& arguments, const Globals& globals) {
    arguments.run.device = diagnose::device_from_names(arguments.device.device,
                                                       arguments.device.chip,
                                                       arguments.device.reference,
                                                       arguments.device.settings());
    if (!arguments.loss_scale.empty())
        arguments.run.loss_scale = diagnose::loss_scale_from(arguments.loss_scale);
    arguments.run.input_shapes = diagnose::parse_input_shapes(arguments.input_shapes);
    arguments.run.progress = !globals.quiet;
    dumper::DumpOptions& dump = arguments.run.dump;
    dump.progress = !globals.quiet;
    dump.check_overflow = !arguments.check_overflow.empty();
    dump.use_load = !dump.load_file_path.empty();
    dump.use_dump = !dump.use_load && !dump.dump_path.empty();
    if (dump.check_overflow) dump.dump_path = arguments.check_overflow;
    const Interrupts interrupts;
    arguments.run.between_steps = Interrupts::check;
    const diagnose::RunReport report = diagnose::run(arguments.run);
    if (globals.json) {
        fmt::print("{}\n", json_text(to_json(arguments, report), 2));
    } else {
        print_text(arguments, report);
    }
    const bool overflowed = dump.check_overflow && report.overflow.first() != nullptr;
    const bool other_weights = report.dump && report.dump->given_differ > 0;
    const bool lost_step = !report.loss_scale.empty() && report.loss_scale.back().overflow;
    return !report.expectation_met || overflowed || lost_step || other_weights ? kFinding
                                                                               : kNoFinding;
}

std::function<int()> configure_run(CLI::App& app, const Globals& globals) {
    const auto arguments = std::make_shared<RunArguments>();
    diagnose::RunOptions& run = arguments->run;
    app.add_option("model", run.model, "ONNX model")->required();
    add_device_options(app, arguments->device, true);
    add_input_options(app, run.input, run.seed, arguments->input_shapes, run.limits);
    app.add_option("--output", run.output, ".npz to write, arrays out_<name>");
    app.add_option("--expect", run.expect, ".npz with arrays out_<name> to compare with");
    app.add_option("--tolerance",
                   run.expect_tolerance,
                   "of --expect, relative to the largest expected value")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    app.add_option("--labels",
                   run.labels,
                   ".npz or .npy with class numbers: print the accuracy of the first output");
    app.add_flag("--batch", run.batch, "run inputs longer than the model's batch in slices");
    app.add_option("--loss-scale",
                   arguments->loss_scale,
                   "of a training step: a number, or dynamic; multiplies the input loss_scale, "
                   "divides the outputs grad_…")
        ->excludes("--batch");
    app.add_option("--dump", run.dump.dump_path, ".h5 (or folder): every op's inputs and outputs");
    app.add_option("--load",
                   run.dump.load_file_path,
                   ".h5: feed each op the golden file's inputs; outputs go to --dump")
        ->needs("--dump");
    app.add_option("--check-overflow",
                   arguments->check_overflow,
                   ".h5 (or folder): only the ops that overflowed")
        ->excludes("--dump")
        ->excludes("--load");
    app.add_option("--acl",
                   run.acl,
                   "acl.json: dump the kernels too; with --load only those of the ops that it has");
    app.add_option("--max-bytes", run.dump.max_bytes, "stop dumping at this size; 0 is no limit")
        ->transform(CLI::AsSizeValue(false));
    app.add_flag("--stats-only",
                 run.dump.statistics,
                 "dump counts, extremes, mean and deviation of each tensor, not its elements");
    app.add_flag(
        "--hashes-only",
        run.dump.hashes,
        "dump a hash of each tensor, not its elements: enough to tell where equal runs part");
    app.add_option("--sample", run.dump.sample, "dump each op's first run and every N-th after it")
        ->check(CLI::PositiveNumber)
        ->type_name("N");
    app.add_flag("--compress{1}",
                 run.dump.compress,
                 "deflate larger tensors in the dump, at level 1 or --compress=LEVEL; slow");
    app.add_flag(
        "--sync", run.dump.sync, "what is committed to the dump survives a power cut, too");
    app.add_flag("--estimate", run.dump.estimate, "write no dump, but say how large it would be");
    app.add_flag("--record-views",
                 run.record_views,
                 "also number and dump ops that only re-describe storage");
    app.add_flag("--cube-range",
                 run.cube_range,
                 "count the elements that depend on the order of the sum inside the Cube");
    app.add_option("--profile",
                   run.profile,
                   ".json to write: when each op and kernel ran, for chrome://tracing; their times "
                   "are printed");
    return [arguments, &globals] { return run_model(*arguments, globals); };
}

}  // namespace

extern const Command k_run_command;
const Command k_run_command = {
    "run", "run a model on the reference or an emulated chip", configure_run};

}  // namespace npuscope::cli
