#include "cli/ci_output.h"

#include <array>
#include <cstdio>
#include <ctime>
#include <optional>

#include <CLI/CLI.hpp>

#include "compare/gate/baseline.h"
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
    : arguments_(arguments), time_(now_utc()) {
    int on_stdout = globals.json ? 1 : 0;
    for (const auto& [name, file] : arguments.files) {
        if (file != "-") continue;
        ++on_stdout;
        takes_stdout_ = true;
    }
    if (on_stdout > 1)
        throw Error(ErrorKind::kUsage,
                    "one text only goes to stdout: of --json and the reports to '-' one at most");
    if (!arguments.waivers.empty())
        waivers_ = std::make_unique<compare::Waivers>(arguments.waivers, compare::today());
}

void CiOutput::judge(const compare::RunPair& pair, compare::Result& result) const {
    std::optional<compare::Baseline> baseline;
    if (!arguments_.baseline.empty()) {
        const std::optional<RecordedRun>& run = pair.target ? pair.target : pair.golden;
        baseline.emplace(
            arguments_.baseline, run ? run->step : std::nullopt, run ? run->rank : std::string());
    }
    if (waivers_ || baseline)
        result.gate = compare::gate_of(result, waivers_.get(), baseline ? &*baseline : nullptr);
}

void CiOutput::add(const compare::CiRun& run) {
    compare::CiRun timed = run;
    timed.time = time_;
    for (const compare::CiReport* report : compare::all_ci_reports())
        if (const std::string name(report->name); !arguments_.files.at(name).empty())
            parts_[name].push_back(report->part(timed));
}

void CiOutput::write() const {
    for (const compare::CiReport* report : compare::all_ci_reports()) {
        const std::string name(report->name);
        const std::string& file = arguments_.files.at(name);
        if (file.empty()) continue;
        const auto parts = parts_.find(name);
        const std::string text =
            report->whole(parts == parts_.end() ? std::vector<std::string>() : parts->second);
        if (file == "-") {
            std::fwrite(text.data(), 1, text.size(), stdout);
        } else {
            write_text_file(file, text);
        }
    }
}

}  // namespace npuscope::cli
