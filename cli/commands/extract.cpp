// npuscope extract -i IN.h5 -o OUT.h5 -s /op/seqid/ -d /op/seqid/
#include "core/dumpfile/extract.h"

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/inspect_source.h"
#include "cli/interrupts.h"
#include "core/base/error.h"
#include "core/base/printable.h"
#include "core/recording/source.h"
#include "core/recording/write_dump.h"

namespace npuscope::cli {

namespace {

struct ExtractArguments {
    std::string input;
    std::string output;
    std::vector<std::string> sources;
    std::vector<std::string> targets;
    std::string failed;
    bool parents = false;
};

std::vector<dumpfile::Copy> copies_of(const ExtractArguments& options) {
    if (options.sources.empty() == options.failed.empty())
        throw Error(ErrorKind::kUsage, "say what to copy: either -s (and -d), or --failed");
    if (!options.failed.empty()) {
        if (!options.targets.empty())
            throw Error(ErrorKind::kUsage, "--failed copies to the same places; -d has no meaning");
        return dumpfile::failed_ops(options.failed);
    }
    if (!options.targets.empty() && options.targets.size() != options.sources.size())
        throw Error(ErrorKind::kUsage,
                    "give one -d for each -s, or none to copy to the same places; there are " +
                        std::to_string(options.sources.size()) + " -s and " +
                        std::to_string(options.targets.size()) + " -d");
    std::vector<dumpfile::Copy> copies;
    for (size_t i = 0; i < options.sources.size(); ++i)
        copies.push_back({options.sources[i],
                          options.targets.empty() ? options.sources[i] : options.targets[i]});
    return copies;
}

using OnCopy = std::function<void(const std::string& from, const std::string& to)>;

/// Out of a recording that is no dump of ours: its ops are written anew.
int64_t extract_recording(const ExtractArguments& options, const OnCopy& on_copy) {
    if (!options.targets.empty())
        throw Error(ErrorKind::kUsage,
                    "-d copies within dumps (.h5); ops of other recordings get a name of their "
                    "own, which -v tells");
    std::vector<std::string> patterns;
    for (const dumpfile::Copy& copy : copies_of(options))
        patterns.push_back(copy.from);
    const WrittenDump written = write_dump(open_source(options.input),
                                           patterns,
                                           options.output,
                                           [&](const std::string& from, const std::string& to) {
                                               Interrupts::check();
                                               on_copy(from, to);
                                           });
    if (written.left_out > 0)
        std::fprintf(stderr,
                     "npuscope: %lld tensors left out, of which neither elements nor all four "
                     "statistics were recorded\n",
                     static_cast<long long>(written.left_out));
    return written.ops;
}

int run_extract(const ExtractArguments& options, const Globals& globals) {
    const Interrupts interrupts;
    nlohmann::ordered_json copied = nlohmann::ordered_json::array();
    const OnCopy on_copy = [&](const std::string& from, const std::string& to) {
        if (globals.json)
            copied.push_back({{"from", printable(from)}, {"to", printable(to)}});
        else if (globals.verbose)
            std::fprintf(stderr, "%s -> %s\n", printable(from).c_str(), printable(to).c_str());
    };
    const int64_t count =
        is_other_recording(options.input)
            ? extract_recording(options, on_copy)
            : dumpfile::extract(
                  options.input, options.output, copies_of(options), on_copy, Interrupts::check);
    if (globals.json) {
        const nlohmann::ordered_json result = {
            {"output", options.output}, {"copied", copied}, {"version", 1}};
        using Handler = nlohmann::ordered_json::error_handler_t;
        std::printf("%s\n", result.dump(2, ' ', false, Handler::replace).c_str());
    } else if (!globals.quiet) {
        std::printf("copied %lld object%s to %s\n",
                    static_cast<long long>(count),
                    count == 1 ? "" : "s",
                    printable(options.output).c_str());
    }
    return kNoFinding;
}

std::function<int()> configure_extract(CLI::App& app, const Globals& globals) {
    auto options = std::make_shared<ExtractArguments>();
    app.add_option("-i,--input",
                   options->input,
                   "the dump to copy from, or a recording of another kind: a dump.json of msprobe")
        ->required();
    app.add_option("-o,--output", options->output, "the dump to make, or to add to")->required();
    app.add_option("-s,--source",
                   options->sources,
                   "what to copy: /op, /op/seqid/ or below; * and ? match names; may repeat")
        ->expected(1)
        ->take_all();
    app.add_option("-d,--destination",
                   options->targets,
                   "where to, one for each -s; the same places when left out")
        ->expected(1)
        ->take_all();
    app.add_option(
        "--failed", options->failed, "copy the ops that failed in a report of compare --json");
    app.add_flag("-p,--parents",
                 options->parents,
                 "make parent groups (always done; taken for h5copy's sake)");
    app.footer(
        "The options are h5copy's. Example:\n"
        "  npuscope extract -pv -i model.h5 -o op.h5 -s \"/addmm/17/\" -d \"/addmm/17/\"\n"
        "Exit codes: 0 copied, 2 could not do the work.");
    return [options, &globals] { return run_extract(*options, globals); };
}

}  // namespace

extern const Command k_extract_command;
const Command k_extract_command = {
    "extract", "copy ops from one dump to another, as h5copy does", configure_extract};

}  // namespace npuscope::cli
