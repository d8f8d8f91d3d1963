// --input, --seed, --input-shape, --max-trips and --max-elements, alike for every command that
// feeds a model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "npu_backend/onnx/run_limits.h"

namespace npuscope::cli {

/// Binds to what the command's own options hold; `shapes` is for diagnose::parse_input_shapes().
inline void add_input_options(CLI::App& app,
                              std::filesystem::path& input,
                              uint64_t& seed,
                              std::vector<std::string>& shapes,
                              onnx_model::RunLimits& limits) {
    app.add_option(
        "--input", input, ".npz with arrays <name> or in_<name>; without it: seeded random inputs");
    app.add_option("--seed", seed, "of random inputs")->capture_default_str();
    app.add_option("--input-shape",
                   shapes,
                   "of random inputs where the model leaves sizes open, as x:1,3,224,224; may "
                   "repeat; sizes that nobody gives are 1")
        ->type_name("NAME:SIZES")
        ->delimiter('\0')
        ->allow_extra_args(false);
    app.add_option("--max-trips", limits.trips, "iterations that the model's loops may run in all")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--max-elements",
                   limits.elements,
                   "elements that one op's result may have; without it: 64 times those of weights "
                   "and inputs, at least 16777216")
        ->check(CLI::PositiveNumber);
}

}  // namespace npuscope::cli
