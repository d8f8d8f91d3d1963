// npuscope extract -i IN.h5 -o OUT.h5 -s /op/seqid/ -d /op/seqid/
#include "core/dumpfile/extract.h"

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/copied_ops.h"
#include "cli/extract_recording.h"
#include "cli/inspect_source.h"
#include "cli/interrupts.h"
#include "core/base/error.h"

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

int extract_other(const ExtractArguments& options, const Globals& globals) {
    if (!options.targets.empty())
        throw Error(ErrorKind::kUsage,
                    "-d copies within dumps (.h5); ops of other recordings get a name of their "
                    "own, which -v tells");
    std::vector<std::string> patterns;
    for (const dumpfile::Copy& copy : copies_of(options))
        patterns.push_back(copy.from);
    return extract_recording({options.input, patterns, options.output}, globals);
}

int run_extract(const ExtractArguments& options, const Globals& globals) {
    const Interrupts interrupts;
    if (is_other_recording(options.input)) return extract_other(options, globals);
    CopiedOps copied{.output = options.output};
    const int64_t count = dumpfile::extract(
        options.input,
        options.output,
        copies_of(options),
        [&](const std::string& from, const std::string& to) { copied.add(from, to, globals); },
        Interrupts::check);
    copied.print_count(count, globals);
    print_json_of_copies(copied, globals);
    return kNoFinding;
}

std::function<int()> configure_extract(CLI::App& app, const Globals& globals) {
    auto options = std::make_shared<ExtractArguments>();
    app.add_option(
           "-i,--input",
           options->input,
           "the dump to copy from, or a recording of another kind: a dump.json of msprobe, its "
           "folder or a tree of steps and ranks")
        ->required();
    app.add_option("-o,--output",
                   options->output,
                   "the dump to make, or to add to; of a tree the folder of the dumps to make")
        ->required();
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
