// npuscope report RESULT: the page of an earlier result.
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/command.h"
#include "core/base/error.h"
#include "core/base/printable.h"
#include "core/base/system_error.h"
#include "page/page.h"

namespace npuscope::cli {

namespace {

namespace fs = std::filesystem;

struct ReportArguments {
    std::string result;
    std::string output;
    bool open = false;
};

/// The file of a folder that a command wrote.
fs::path result_file(const fs::path& named) {
    if (!fs::is_directory(named)) return named;
    for (const char* name : {"verdicts.json", "mapping.json"})
        if (fs::exists(named / name)) return named / name;
    throw Error(ErrorKind::kUsage,
                in_quotes(named.string()) +
                    " holds neither verdicts.json nor mapping.json; give a folder of check, "
                    "compare or map, or a file of what a command printed with --json");
}

std::string text_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) throw system_error("cannot open " + in_quotes(file.string()), errno);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Asks the desktop for a browser. Without one the page is written all the same.
void show(const fs::path& page) {
    const std::string path = fs::absolute(page).string();
    const pid_t child = fork();
    if (child == 0) {
        std::freopen("/dev/null", "w", stderr);
        std::array<char*, 3> words = {
            const_cast<char*>("xdg-open"), const_cast<char*>(path.c_str()), nullptr};
        execvp(words[0], words.data());
        _exit(127);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        fmt::print(
            stderr, "npuscope: no browser could be opened (xdg-open); open {}\n", printable(path));
}

int run_report(const ReportArguments& arguments) {
    const fs::path file = result_file(arguments.result);
    fs::path output = arguments.output;
    if (output.empty())
        output = fs::is_directory(arguments.result) ? fs::path(arguments.result) / "report.html"
                                                    : fs::path(file).replace_extension(".html");
    std::string text = text_of(file);
    page::Result result;
    try {
        result = page::read_result(std::move(text));
    } catch (const Error& problem) {
        throw Error(problem.kind(), in_quotes(file.string()) + ": " + problem.what());
    }
    page::write_page(output, result);
    fmt::print("{}\n", printable(output.string()));
    std::fflush(stdout);
    if (arguments.open) show(output);
    return kNoFinding;
}

std::function<int()> configure_report(CLI::App& app, const Globals&) {
    const auto arguments = std::make_shared<ReportArguments>();
    app.add_option("RESULT",
                   arguments->result,
                   "folder of check, compare or map -o, or a file of what check, compare, "
                   "recompute, overflow, map or loss printed with --json")
        ->required();
    app.add_option("-o,--output",
                   arguments->output,
                   "the page; without it: report.html in the folder, or beside the file");
    app.add_flag("--open", arguments->open, "show it in a browser");
    app.footer("Exit codes: 0 written, 2 could not do the work.");
    return [arguments] { return run_report(*arguments); };
}

}  // namespace

extern const Command k_report_command;
const Command k_report_command = {
    "report", "write the page of an earlier result", configure_report};

}  // namespace npuscope::cli
