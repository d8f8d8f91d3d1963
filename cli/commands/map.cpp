// npuscope map OPS.h5 [--acl acl.json] [-o DIR]
#include "diagnose/kernels/map.h"

#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/interrupts.h"
#include "cli/options/device_options.h"
#include "cli/page_output.h"
#include "core/base/error.h"
#include "core/base/interrupted.h"
#include "core/base/pending_file.h"
#include "core/base/printable.h"
#include "diagnose/run/run.h"

namespace npuscope::cli {

namespace {

struct MapArguments {
    std::string ops, acl, output, from, html;
    std::vector<std::string> only;
    DeviceOptions device;
};

diagnose::Mapping mapping_of(const diagnose::MapOptions& options) {
    try {
        return diagnose::map_ops(options);
    } catch (Interrupted& stop) {
        std::error_code ignored;
        if (std::filesystem::exists(options.output, ignored))
            stop.kept.push_back(in_quotes(options.output) + " without its mapping.json");
        throw;
    }
}

int run_map(const MapArguments& arguments, const Globals& globals) {
    require_regular_file(arguments.ops, "file of ops");
    const DeviceOptions& options = arguments.device;
    diagnose::MapOptions map;
    map.ops = arguments.ops;
    map.device =
        diagnose::device_from_names("npu", options.chip, options.reference, options.settings());
    map.reference = diagnose::device_from_names("cpu", options.chip, options.reference);
    map.acl = arguments.acl;
    map.output = arguments.output;
    map.from = arguments.from;
    map.only = arguments.only;
    map.progress = !globals.quiet;
    map.between_steps = Interrupts::check;
    const Interrupts interrupts;
    const diagnose::Mapping mapping = mapping_of(map);
    if (!arguments.html.empty()) write_page_of(arguments.html, "map", to_json(mapping), globals);
    const std::string text =
        globals.json ? to_json(mapping) : to_text(mapping, use_color(globals, 1), globals.verbose);
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
    if (mapping.kernel_count() == 0)
        throw Error(
            ErrorKind::kUsage,
            "'" + arguments.ops + "': no op launched a kernel; was it dumped with its inputs?");
    return mapping.finding() ? kFinding : kNoFinding;
}

std::function<int()> configure_map(CLI::App& app, const Globals& globals) {
    auto arguments = std::make_shared<MapArguments>();
    app.add_option("OPS", arguments->ops, "ops with their inputs (.h5), of any source")->required();
    app.add_option("--acl", arguments->acl, "acl.json: which kernels are dumped, and where");
    app.add_option("-o,--output",
                   arguments->output,
                   "folder for mapping.json and, without --acl, the kernels' dumps");
    app.add_option("--from",
                   arguments->from,
                   "folder of a device's kernel dumps: align and judge those, run nothing");
    app.add_option("--op", arguments->only, "only this op, /name/seqid; may repeat")
        ->allow_extra_args(false);
    add_device_options(app, arguments->device, false);
    add_page_option(app, arguments->html);
    app.footer(
        "Each op runs from its recorded inputs; each of its kernels is computed again in the\n"
        "reference, from its own inputs (introduced) and from the reference's chain (total).\n"
        "-v shows tensors and files. docs/kernel_dumps.md tells about acl.json and mapping.json.\n"
        "Exit codes: 0 every kernel is within tolerance, 1 some are not, 2 could not do the work.");
    return [arguments, &globals] { return run_map(*arguments, globals); };
}

}  // namespace

extern const Command k_map_command;
const Command k_map_command = {
    "map", "which kernels ops become, their dumps, and which go wrong", configure_map};

}  // namespace npuscope::cli
