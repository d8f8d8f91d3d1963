#include "cli/extract_recording.h"

#include <cstdio>
#include <filesystem>
#include <set>

#include "cli/copied_ops.h"
#include "cli/interrupts.h"
#include "core/base/error.h"
#include "core/base/make_folder.h"
#include "core/base/printable.h"
#include "core/recording/source.h"
#include "core/recording/tree.h"
#include "core/recording/write_dump.h"

namespace npuscope::cli {

namespace {

namespace fs = std::filesystem;

CopiedOps extract_run(const RecordedRun& run,
                      const std::vector<std::string>& patterns,
                      const fs::path& output,
                      const Globals& globals) {
    CopiedOps copied{.output = output.string(), .run = run};
    const WrittenDump written = write_dump(open_source(run.path),
                                           patterns,
                                           output,
                                           [&](const std::string& from, const std::string& to) {
                                               Interrupts::check();
                                               copied.add(from, to, globals);
                                           });
    if (written.left_out > 0)
        std::fprintf(stderr,
                     "npuscope: %lld tensors left out, of which neither elements nor all four "
                     "statistics were recorded\n",
                     static_cast<long long>(written.left_out));
    copied.print_count(written.ops, globals);
    return copied;
}

/// A folder, made where there is none.
void make_folder_of_dumps(const fs::path& folder) {
    std::error_code failure;
    if (fs::exists(folder, failure) && !fs::is_directory(folder, failure))
        throw Error(ErrorKind::kUsage,
                    in_quotes(folder) +
                        " is a file; of several recorded runs -o names a folder, in which each "
                        "gets a dump");
    make_folder(folder);
}

/// "step0_rank1.h5"; a name that is taken gets a number.
std::string dump_of(const RecordedRun& run, std::set<std::string>& taken) {
    std::string name = run.file_name();
    for (int again = 2; !taken.insert(name).second; ++again)
        name = run.file_name() + "_" + std::to_string(again);
    return name + ".h5";
}

int extract_runs(const RecordingToExtract& what,
                 const std::vector<RecordedRun>& runs,
                 const Globals& globals) {
    make_folder_of_dumps(what.output);
    std::vector<CopiedOps> extracted;
    std::set<std::string> taken;
    int failed = 0;
    for (const RecordedRun& run : runs) {
        const fs::path output = fs::path(what.output) / dump_of(run, taken);
        try {
            extracted.push_back(extract_run(run, what.patterns, output, globals));
        } catch (const Error& error) {
            ++failed;
            std::fprintf(stderr, "npuscope: error: %s: %s\n", run.text().c_str(), error.what());
        }
    }
    print_json_of_copies(what.output, extracted, globals);
    return failed == 0 ? kNoFinding : kNotDone;
}

}  // namespace

int extract_recording(const RecordingToExtract& what, const Globals& globals) {
    const std::vector<RecordedRun> runs = recorded_runs(what.input);
    if (runs.size() > 1) return extract_runs(what, runs, globals);
    print_json_of_copies(extract_run({.path = what.input}, what.patterns, what.output, globals),
                         globals);
    return kNoFinding;
}

}  // namespace npuscope::cli
