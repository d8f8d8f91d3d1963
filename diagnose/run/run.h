// One run of a model with any observers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/npz/npy.h"
#include "diagnose/run/expectation.h"
#include "diagnose/run/scaled_step.h"
#include "diagnose/run/seeded_inputs.h"
#include "dumper/dump_scope.h"
#include "ir_tbe_map/kernel_dump.h"
#include "npu_backend/chips/device.h"
#include "npu_backend/executor.h"
#include "npu_backend/onnx/run_limits.h"
#include "overflow/watcher.h"

namespace npuscope::diagnose {

struct RunOptions {
    std::filesystem::path model;
    Device device;
    std::filesystem::path input;    ///< empty: seeded inputs
    uint64_t seed = 0;              ///< of seeded inputs
    InputShapes input_shapes = {};  ///< likewise
    onnx_model::RunLimits limits = {};
    std::filesystem::path output;   ///< .npz to write; arrays out_<name>
    std::filesystem::path expect;   ///< .npz with out_<name>
    double expect_tolerance = kExpectTolerance;
    std::filesystem::path labels;  ///< .npz or .npy with class numbers
    bool batch = false;
    std::optional<LossScaleOptions> loss_scale;  ///< the model is a training step
    dumper::DumpOptions dump;                    ///< no mode chosen: nothing is dumped
    bool record_views = false;
    bool cube_range = false;        ///< also by other models of the sum inside the Cube
    std::filesystem::path profile;  ///< .json: times of ops and kernels as a Chrome trace
    std::filesystem::path acl;      ///< acl.json: kernels too; with load only those of loaded ops
    bool progress = false;
    /// Called before each node of the model; what it throws ends the run. The dump is closed as far
    /// as it came, and an Interrupted says what is kept.
    std::function<void()> between_steps = {};
};

struct RunReport {
    std::string inputs;      ///< their names, dtypes and shapes
    std::string open_sizes;  ///< as open_sizes(), of seeded inputs
    NamedTensors outputs;
    std::vector<OutputDifference> expectation;
    bool expectation_met = true;
    std::optional<Accuracy> accuracy;
    std::optional<dumper::DumpSummary> dump;
    overflow::OverflowReport overflow;
    std::vector<LossScaleStep> loss_scale;  ///< with loss_scale; more than one when it shrinks
    std::vector<CubeRange> cube_ranges;     ///< with cube_range; one row a Cube kernel
    std::string profile_table;              ///< with profile
    std::optional<ir_tbe_map::KernelDumpSummary> kernels;  ///< with acl
    int64_t ops = 0;                                       ///< recorded ops that ran
    double seconds = 0;                                    ///< of the model's run
};

/// Errors: Error of every kind, as the parts throw it; nothing is left under a final name then.
[[nodiscard]] RunReport run(const RunOptions& options);

/// "cpu" or "npu", with the reference ("fp64", "fp32") or the chip's name; `settings` are
/// "key=value" over the chip's defaults. Errors: Error(kUsage), also for settings of a reference.
[[nodiscard]] Device device_from_names(const std::string& device,
                                       const std::string& chip_name,
                                       const std::string& reference,
                                       std::span<const std::string> settings = {});

}  // namespace npuscope::diagnose
