// --device, --chip and --reference, alike for every command that runs a model.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "npu_backend/device.h"

namespace npuscope::cli {

struct DeviceOptions {
    std::string device = "npu";
    std::string chip = "910A";
    std::string reference = "fp64";
};

/// `with_device` adds --device too.
inline void add_device_options(CLI::App& app, DeviceOptions& options, bool with_device) {
    if (with_device)
        app.add_option("--device", options.device, "cpu (the reference) or npu (the emulated chip)")
            ->capture_default_str();
    std::string chips;
    for (const Chip& row : all_chips())
        chips += (chips.empty() ? "" : ", ") + std::string(row.name);
    app.add_option("--chip", options.chip, "emulated chip: " + chips)->capture_default_str();
    app.add_option("--reference", options.reference, "arithmetic of the reference: fp64 or fp32")
        ->capture_default_str();
}

}  // namespace npuscope::cli
