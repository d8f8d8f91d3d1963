#include "cli/ci_output.h"

#include <array>
#include <cstdio>
#include <ctime>
#include <optional>

#include <CLI/CLI.hpp>

#include "core/base/error.h"
#include "core/base/pending_file.h"

namespace npuscope::cli {

namespace {

std::string now_utc() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    std::array<char, 32> text{};
    static_cast<void>(std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts));
    return text.data();
}

}  // namespace

void add_ci_options(CLI::App& app, CiArguments& arguments) {
    app.add_option("--waivers",
                   arguments.waivers,
                   "JSON file of accepted findings, each with op, reason, owner and expires; they "
                   "do not count");
    app.add_option("--baseline",
                   arguments.baseline,
                   "JSON of an earlier comparison: only findings that are new, or got "
                   "worse, count");
    for (const compare::CiReport* report : compare::all_ci_reports())
        app.add_option("--" + std::string(report->name),
                       arguments.files[std::string(report->name)],
                       "file to write: " + std::string(report->summary) + "; - is stdout");
}

CiOutput::CiOutput(const CiArguments& arguments, const Globals& globals)
    : arguments_(arguments), gate_(arguments.waivers, arguments.baseline), time_(now_utc()) {
    int on_stdout = globals.json ? 1 : 0;
    for (const auto& [name, file] : arguments.files) {
        if (file != "-") continue;
        ++on_stdout;
        takes_stdout_ = true;
    }
    if (on_stdout > 1)
        throw Error(ErrorKind::kUsage,
                    "one text only goes to stdout: of --json and the reports to '-' one at most");
}

void CiOutput::add(const compare::CiRun& run) {
    compare::CiRun timed = run;
    timed.time = time_;
    for (const compare::CiReport* report : compare::all_ci_reports())
        if (const std::string name(report->name); !arguments_.files.at(name).empty())
            parts_[name].push_back(report->part(timed));
}

void CiOutput::write() const {
    std::optional<Error> first;
    for (const compare::CiReport* report : compare::all_ci_reports()) {
        const std::string name(report->name);
        const std::string& file = arguments_.files.at(name);
        if (file.empty()) continue;
        const auto parts = parts_.find(name);
        const std::string text =
            report->whole(parts == parts_.end() ? std::vector<std::string>() : parts->second);
        if (file == "-") {
            std::fwrite(text.data(), 1, text.size(), stdout);
            continue;
        }
        try {
            write_text_file(file, text);
        } catch (const Error& failure) {
            // The other reports are not lost with this one.
            if (!first) first = failure;
        }
    }
    if (first) throw Error(*first);
}

}  // namespace npuscope::cli
