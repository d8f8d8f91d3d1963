#include "cli/extract_recording.h"

#include <cstdio>
#include <filesystem>
#include <set>

#include <nlohmann/json.hpp>

#include "cli/interrupts.h"
#include "core/base/error.h"
#include "core/base/printable.h"
#include "core/recording/source.h"
#include "core/recording/tree.h"
#include "core/recording/write_dump.h"

namespace npuscope::cli {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// {"output": …, "copied": […]}; the number of ops is added to `ops`.
Json extract_run(const fs::path& run,
                 const std::vector<std::string>& patterns,
                 const fs::path& output,
                 const Globals& globals,
                 int64_t& ops) {
    Json copied = Json::array();
    const WrittenDump written = write_dump(
        open_source(run), patterns, output, [&](const std::string& from, const std::string& to) {
            Interrupts::check();
            if (globals.json)
                copied.push_back({{"from", printable(from)}, {"to", printable(to)}});
            else if (globals.verbose)
                std::fprintf(stderr, "%s -> %s\n", printable(from).c_str(), printable(to).c_str());
        });
    if (written.left_out > 0)
        std::fprintf(stderr,
                     "npuscope: %lld tensors left out, of which neither elements nor all four "
                     "statistics were recorded\n",
                     static_cast<long long>(written.left_out));
    ops += written.ops;
    return {{"output", output.string()}, {"copied", std::move(copied)}};
}

/// A folder, made where there is none.
void make_folder_of_dumps(const fs::path& folder) {
    std::error_code failure;
    if (fs::exists(folder, failure) && !fs::is_directory(folder, failure))
        throw Error(ErrorKind::kUsage,
                    in_quotes(folder) +
                        " is a file; of several recorded runs -o names a folder, in which each "
                        "gets a dump");
    fs::create_directories(folder, failure);
    if (failure)
        throw Error(ErrorKind::kIo,
                    "cannot make the folder " + in_quotes(folder) + ": " + failure.message());
}

/// "step0_rank1.h5"; a name that is taken gets a number.
std::string dump_of(const RecordedRun& run, std::set<std::string>& taken) {
    std::string name = run.file_name();
    for (int again = 2; !taken.insert(name).second; ++again)
        name = run.file_name() + "_" + std::to_string(again);
    return name + ".h5";
}

void print_extracted(const Json& result) {
    std::printf("%s\n", result.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
}

void print_extracted_count(int64_t ops, const std::string& where) {
    std::printf("copied %lld object%s to %s\n",
                static_cast<long long>(ops),
                ops == 1 ? "" : "s",
                printable(where).c_str());
}

int extract_runs(const RecordingToExtract& what,
                 const std::vector<RecordedRun>& runs,
                 const Globals& globals) {
    make_folder_of_dumps(what.output);
    Json list = Json::array();
    std::set<std::string> taken;
    int failed = 0;
    for (const RecordedRun& run : runs) {
        const fs::path output = fs::path(what.output) / dump_of(run, taken);
        int64_t ops = 0;
        try {
            Json made = extract_run(run.path, what.patterns, output, globals, ops);
            made["step"] = run.step ? Json(*run.step) : Json();
            made["rank"] = run.rank;
            list.push_back(std::move(made));
        } catch (const Error& error) {
            ++failed;
            std::fprintf(stderr, "npuscope: error: %s: %s\n", run.text().c_str(), error.what());
            continue;
        }
        if (!globals.quiet && !globals.json) print_extracted_count(ops, output.string());
    }
    if (globals.json) print_extracted({{"output", what.output}, {"runs", list}, {"version", 1}});
    return failed == 0 ? kNoFinding : kNotDone;
}

}  // namespace

int extract_recording(const RecordingToExtract& what, const Globals& globals) {
    const std::vector<RecordedRun> runs = recorded_runs(what.input);
    if (runs.size() > 1) return extract_runs(what, runs, globals);
    int64_t ops = 0;
    Json result = extract_run(what.input, what.patterns, what.output, globals, ops);
    result["version"] = 1;
    if (globals.json)
        print_extracted(result);
    else if (!globals.quiet)
        print_extracted_count(ops, what.output);
    return kNoFinding;
}

}  // namespace npuscope::cli
