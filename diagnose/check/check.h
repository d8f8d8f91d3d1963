// The main job: golden, free and isolated runs of one model, overflow, verdicts, first culprit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "diagnose/check/check_report.h"
#include "diagnose/comparison/judging_files.h"
#include "diagnose/run/model_inputs.h"
#include "npu_backend/chips/device.h"
#include "npu_backend/onnx/run_limits.h"

namespace npuscope::diagnose {

struct CheckOptions {
    std::filesystem::path model;
    Device device;  ///< the chip under test
    Device reference = Device::reference64();
    std::filesystem::path input;  ///< empty: seeded inputs
    uint64_t seed = 0;
    InputShapes input_shapes = {};  ///< of seeded inputs
    onnx_model::RunLimits limits = {};
    std::string input_name;        ///< how reports call the inputs; empty: the path or the seed
    std::filesystem::path golden;  ///< .h5 of another golden run; empty: the reference is run
    std::filesystem::path output;  ///< folder for dumps; empty: nothing is kept
    /// Of both comparisons with the golden run; a standard is of the isolated run. Without a third
    /// chip: the golden where that is a file, else float32 arithmetic here.
    JudgingRequest judging = {};
    bool progress = false;
    /// Called between the nodes of a run and the ops of a comparison, from any thread; what it
    /// throws ends the check. An Interrupted says what is kept in `output`.
    std::function<void()> between_steps = {};
};

/// Runs the model three times (twice with a golden file), compares, and judges. With `output` the
/// folder is made when its parent exists, and holds golden.h5, npu.h5 and isolated.h5. Errors:
/// Error of every kind, as the parts throw it.
[[nodiscard]] CheckReport check(const CheckOptions& options);

}  // namespace npuscope::diagnose
