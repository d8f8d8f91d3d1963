// --device, --chip with its options, and --reference, alike for every command that runs a model.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "npu_backend/chips/device.h"
#include "npu_backend/chips/options.h"

namespace npuscope::cli {

struct DeviceOptions {
    std::string device = "npu";
    std::string chip = "910A";
    std::string reference = "fp64";
    std::vector<std::string> set;  ///< key=value
    std::string set_file;          ///< JSON
    std::string precision_mode, implmode, implmode_types, amp_level;

    /// The settings of the file, of the named options, then of --set.
    [[nodiscard]] std::vector<std::string> settings() const {
        std::vector<std::string> all;
        if (!set_file.empty()) all = read_settings(set_file);
        if (!amp_level.empty())
            for (std::string& setting : amp_settings(amp_level))
                all.push_back(std::move(setting));
        for (const auto& [key, value] : {std::pair{"precision_mode", &precision_mode},
                                         std::pair{"op_impl_mode", &implmode},
                                         std::pair{"op_impl_types", &implmode_types}})
            if (!value->empty()) all.push_back(std::string(key) + "=" + *value);
        all.insert(all.end(), set.begin(), set.end());
        return all;
    }
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
    app.add_option("--precision-mode",
                   options.precision_mode,
                   "must_keep_origin_dtype, allow_fp32_to_fp16, force_fp16 or allow_mix_precision");
    app.add_option("--op-select-implmode",
                   options.implmode,
                   "high_precision or high_performance, also with _for_all");
    app.add_option("--optypelist-for-implmode",
                   options.implmode_types,
                   "CANN types that the implementation mode is for, commas between");
    app.add_option("--amp-level", options.amp_level, "casts of mixed precision training: O1 or O2");
    app.add_option(
           "--set",
           options.set,
           "KEY=VALUE, an option of the chip (`npuscope help chips` lists them); may repeat")
        ->allow_extra_args(false);
    app.add_option("--set-file", options.set_file, "JSON file with such options");
}

}  // namespace npuscope::cli
