// npuscope export DUMP -o TREE: a dump in the layout of another tool.
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/interrupts.h"
#include "core/base/error.h"
#include "core/base/interrupted.h"
#include "core/base/json_value.h"
#include "core/base/pending_file.h"
#include "core/base/printable.h"
#include "core/base/progress.h"
#include "core/recording/write_msprobe.h"

namespace npuscope::cli {

namespace {

struct ExportArguments {
    std::string dump;
    std::string output;
    std::string format = "msprobe";
};

int run_export(const ExportArguments& arguments, const Globals& globals) {
    const Interrupts interrupts;
    require_regular_file(arguments.dump, "dump");
    const Source source = open_source(arguments.dump);
    if (!source.numbered)
        throw Error(ErrorKind::kUsage, in_quotes(arguments.dump) + " is no dump (.h5)");
    for (const std::string& remark : source.remarks)
        std::fprintf(stderr, "npuscope: %s\n", printable(remark).c_str());
    std::optional<Progress> progress;
    const auto on_op = [&](int64_t done, int64_t total) {
        if (!progress) progress.emplace("export", total, !globals.quiet);
        progress->update(done, "");
        Interrupts::check();
    };
    WrittenTree written;
    try {
        written = write_msprobe(source, arguments.output, on_op);
    } catch (Interrupted& stop) {
        std::error_code ignored;
        if (std::filesystem::exists(arguments.output, ignored))
            stop.kept.push_back(in_quotes(arguments.output) + " without its dump.json");
        throw;
    }
    progress.reset();
    if (globals.json) {
        const nlohmann::ordered_json root = {{"version", 1},
                                             {"output", printable(arguments.output)},
                                             {"records", written.records},
                                             {"tensors", written.tensors},
                                             {"without_data", written.without_data}};
        std::printf("%s\n", json_text(root, 2).c_str());
    } else if (!globals.quiet) {
        std::printf("wrote %lld records with %lld tensors to %s\n",
                    static_cast<long long>(written.records),
                    static_cast<long long>(written.tensors),
                    printable(arguments.output).c_str());
        if (written.without_data != 0)
            std::printf("%lld tensors have no file: no elements, or a dtype that PyTorch lacks\n",
                        static_cast<long long>(written.without_data));
    }
    return kNoFinding;
}

std::function<int()> configure_export(CLI::App& app, const Globals& globals) {
    auto arguments = std::make_shared<ExportArguments>();
    app.add_option("DUMP", arguments->dump, "a dump (.h5)")->required();
    app.add_option("-o,--output", arguments->output, "the folder to make")->required();
    app.add_option("--format", arguments->format, "what reads it: msprobe")
        ->check(CLI::IsMember({"msprobe"}))
        ->capture_default_str();
    app.footer("Exit codes: 0 written, 2 could not do the work.");
    return [arguments, &globals] { return run_export(*arguments, globals); };
}

}  // namespace

extern const Command k_export_command;
const Command k_export_command = {
    "export", "write a dump in the layout that another tool reads", configure_export};

}  // namespace npuscope::cli
