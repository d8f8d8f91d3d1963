#include "diagnose/run/run.h"

#include <chrono>
#include <cmath>
#include <memory>

#include "core/base/error.h"
#include "core/base/interrupted.h"
#include "core/base/printable.h"
#include "core/base/progress.h"
#include "core/dumpfile/layout.h"
#include "diagnose/run/batched_run.h"
#include "diagnose/run/model_inputs.h"
#include "diagnose/run/op_profile.h"
#include "npu_backend/executor.h"
#include "npu_backend/onnx/model.h"

namespace npuscope::diagnose {

namespace {

/// Null without acl.
std::unique_ptr<ir_tbe_map::KernelDumpScope> kernel_dump(const RunOptions& options,
                                                         Executor& executor,
                                                         const dumper::DumpScope* loading) {
    if (options.acl.empty()) return nullptr;
    if (executor.device_code() != dumpfile::kDeviceNpu)
        throw Error(ErrorKind::kUsage,
                    "an acl.json is for a chip: a reference's kernels are not dumped");
    ir_tbe_map::KernelDumpOptions dump;
    dump.config = ir_tbe_map::read_acl_config(options.acl);
    dump.model_name = options.model.stem().string();
    dump.log = ir_tbe_map::DeviceLog::from_environment();
    if (options.dump.use_load) {
        ir_tbe_map::require_acl_dump_data_off();
        dump.wanted = [loading] { return loading->matched(); };
    }
    return std::make_unique<ir_tbe_map::KernelDumpScope>(executor, std::move(dump));
}

void judge(const RunOptions& options, const onnx_model::Model& model, RunReport& report) {
    if (!options.expect.empty()) {
        report.expectation =
            compare_outputs(report.outputs, read_expected_outputs(model, options.expect));
        for (const OutputDifference& output : report.expectation)
            if (!output.incomparable.empty() || !(output.relative <= options.expect_tolerance))
                report.expectation_met = false;
    }
    if (!options.labels.empty())
        report.accuracy = top1_accuracy(report.outputs.front().second, read_labels(options.labels));
}

void write_outputs(const RunOptions& options, const RunReport& report) {
    if (options.output.empty()) return;
    NamedTensors named;
    for (const auto& [name, tensor] : report.outputs)
        named.emplace_back("out_" + name, tensor);
    write_npz(options.output, named);
}

/// What the ops that ran left in the dump.
void keep_dump(dumper::DumpScope& scope, Interrupted& stop) {
    scope.set_incomplete(stop.why + " ended the run");
    const dumper::DumpSummary dump = scope.close();
    if (dump.path.empty()) return;
    stop.kept.push_back(in_quotes(dump.path) + " with " + std::to_string(dump.ops_written) +
                        (dump.ops_written == 1 ? " op" : " ops"));
}

/// Fills in what the run gives out.
void run_nodes(const onnx_model::Model& model,
               Executor& executor,
               const NamedTensors& inputs,
               const RunOptions& options,
               RunReport& report) {
    Progress progress("run", model.node_count(), options.progress);
    const NodeProgress on_node = [&](int64_t done, int64_t, const std::string& node) {
        progress.update(done, node);
        if (options.between_steps) options.between_steps();
    };
    if (options.loss_scale) {
        LossScaleOptions scale = *options.loss_scale;
        scale.check_overflow = options.dump.check_overflow;
        ScaledStep step = run_scaled_step(model, executor, inputs, scale, on_node);
        report.outputs = std::move(step.outputs);
        report.loss_scale = std::move(step.attempts);
    } else {
        report.outputs = options.batch ? run_in_batches(model, executor, inputs, on_node)
                                       : run_model(model, executor, inputs, on_node);
    }
}

}  // namespace

Device device_from_names(const std::string& device,
                         const std::string& chip_name,
                         const std::string& reference,
                         std::span<const std::string> settings) {
    if (device == "npu") return Device::npu(chip(chip_name), settings);
    if (!settings.empty())
        throw Error(ErrorKind::kUsage,
                    "'" + settings.front() + "' is an option of a chip; a reference has none");
    if (device != "cpu")
        throw Error(ErrorKind::kUsage, "unknown device '" + device + "'; there are cpu and npu");
    if (reference == "fp64") return Device::reference64();
    if (reference == "fp32") return Device::reference32();
    throw Error(ErrorKind::kUsage,
                "unknown reference '" + reference + "'; there are fp64 and fp32");
}

RunReport run(const RunOptions& options) {
    const onnx_model::Model model = onnx_model::Model::load(options.model, options.limits);
    const NamedTensors inputs =
        model_inputs(model, options.input, options.seed, options.input_shapes);
    if (!options.batch && !options.loss_scale) model.check_inputs(inputs);
    if (options.batch && options.loss_scale)
        throw Error(ErrorKind::kUsage,
                    "a training step with a loss scale runs whole, not in batches");

    Executor executor(
        options.device,
        {.record_views = options.record_views, .threads = 0, .cube_range = options.cube_range});
    overflow::OverflowWatcher watcher(executor);
    std::unique_ptr<dumper::DumpScope> scope;
    const dumper::DumpOptions& dump = options.dump;
    if (dump.use_dump || dump.use_load || dump.check_overflow)
        scope = std::make_unique<dumper::DumpScope>(executor, dump);
    const auto kernels = kernel_dump(options, executor, scope.get());
    std::unique_ptr<OpProfile> profile;
    if (!options.profile.empty()) profile = std::make_unique<OpProfile>(executor);

    RunReport report;
    report.inputs = describe_tensors(inputs);
    if (options.input.empty()) report.open_sizes = open_sizes(model, options.input_shapes);
    const auto start = std::chrono::steady_clock::now();
    try {
        run_nodes(model, executor, inputs, options, report);
    } catch (Interrupted& stop) {
        if (scope) keep_dump(*scope, stop);
        throw;
    }
    report.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    report.ops = executor.last_seqid();
    report.cube_ranges = executor.cube_ranges();
    if (scope) report.dump = scope->close();
    if (dump.use_load) dumper::require_a_match(*report.dump, dump.load_file_path);
    if (kernels) report.kernels = kernels->close();
    if (executor.observer_error_count() > 0)
        throw Error(ErrorKind::kInternal,
                    "an observer failed " + std::to_string(executor.observer_error_count()) +
                        " times, first: " + executor.first_observer_error());
    report.overflow = watcher.report();
    if (profile) {
        profile->write_chrome_trace(options.profile);
        report.profile_table = profile->table();
    }
    judge(options, model, report);
    write_outputs(options, report);
    return report;
}

}  // namespace npuscope::diagnose
