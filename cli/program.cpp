#include "cli/program.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <poll.h>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/interrupts.h"
#include "core/base/error.h"
#include "core/base/interrupted.h"
#include "core/base/printable.h"
#include "core/base/shell_word.h"
#include "core/base/version.h"
#include "core/h5/trust.h"

namespace npuscope::cli {

#define COMMAND(name) extern const Command k_##name##_command;
#include "cli/commands/commands.def"
#undef COMMAND

namespace {

const std::vector<const Command*>& all_commands() {
    static const std::vector<const Command*> commands = {
#define COMMAND(name) &k_##name##_command,
#include "cli/commands/commands.def"
#undef COMMAND
    };
    return commands;
}

void add_globals(CLI::App& app, Globals& globals) {
    app.add_flag("--json", globals.json, "machine-readable result on stdout");
    app.add_flag("-q,--quiet", globals.quiet, "no progress and no remarks");
    app.add_flag("-v,--verbose", globals.verbose, "say more on stderr");
    app.add_option("--color", globals.color, "auto, always or never")
        ->check(CLI::IsMember({"auto", "always", "never"}));
    app.add_flag("--trust-files",
                 globals.trust_files,
                 "read .h5 files without the limits that hold for files of others");
    app.footer(
        "Exit codes: 0 no finding, 1 differences or overflow found, 2 could not do the work.");
}

int fail(const std::string& message) {
    std::fprintf(stderr, "npuscope: error: %s\n", printable(message).c_str());
    return kNotDone;
}

int interrupted(const std::string& what) {
    const int signal = interrupting_signal();
    std::fprintf(
        stderr, "npuscope: stopped by %s%s\n", signal_name(signal), printable(what).c_str());
    return exit_code_of(signal);
}

int interrupted(const Interrupted& stop) {
    if (stop.kept.empty()) return interrupted("; no result was written");
    std::string kept;
    for (const std::string& line : stop.kept)
        kept += (kept.empty() ? "" : ", ") + line;
    return interrupted("; kept: " + kept);
}

/// A shell's pattern may have given a thousand names: the first are enough.
std::string first_words(const std::string& text) {
    constexpr size_t kMost = 300;
    if (text.size() <= kMost) return text;
    const size_t end = text.rfind(' ', kMost);
    if (end == std::string::npos) return text;
    const auto more = std::count(text.begin() + static_cast<std::ptrdiff_t>(end), text.end(), ' ');
    return text.substr(0, end) + " … (" + std::to_string(more) + " more)";
}

int run(int argc, char** argv) {
    CLI::App app{"npuscope: why a neural network computes different numbers on an NPU", "npuscope"};
    app.set_version_flag("--version", std::string("npuscope ") + kVersion);
    app.require_subcommand(1);
    app.footer("npuscope COMMAND --help tells more.");
    Globals globals;
    globals.command_line = "npuscope";
    for (int i = 1; i < argc; ++i)
        globals.command_line += " " + shell_word(argv[i]);
    std::function<int()> selected;
    const std::vector<std::string_view> words(argv, argv + argc);
    const auto is_named = [&](const Command* command) {
        return std::ranges::find(words, command->name) != words.end();
    };
    const bool all = std::ranges::any_of(all_commands(), [&](const Command* command) {
        return command->tells_of_others && is_named(command);
    });
    for (const Command* command : all_commands()) {
        CLI::App* sub =
            app.add_subcommand(std::string(command->name), std::string(command->summary));
        // Declaring the options of all takes longer than a short command does.
        if (!all && !is_named(command)) continue;
        add_globals(*sub, globals);
        auto action = command->configure(*sub, globals);
        sub->callback([&selected, action = std::move(action)] { selected = action; });
    }
    const bool is_word = words.size() > 1 && !words[1].starts_with('-');
    if (is_word &&
        std::ranges::find(all_commands(), words[1], &Command::name) == all_commands().end())
        return fail("there is no command '" + std::string(words[1]) + "'; see npuscope --help");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& stop) {
        if (stop.get_exit_code() == 0) return app.exit(stop);
        const std::string hint =
            argc > 1 && app.get_subcommands().size() == 1
                ? "npuscope " + app.get_subcommands().front()->get_name() + " --help"
                : "npuscope --help";
        return fail(first_words(stop.what()) + "; see " + hint);
    }
    h5::trust_files(globals.trust_files);
    return selected();
}

/// Whether whoever read standard output has closed the pipe (head, less): it has seen enough.
bool has_reader_left() {
    pollfd output{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
    return poll(&output, 1, 0) > 0 && (output.revents & POLLERR) != 0;
}

/// What does not fit into the buffer was written before: that may have failed as well.
bool is_output_lost() {
    const bool is_flushed = std::fflush(stdout) == 0;
    return (!is_flushed || std::ferror(stdout) != 0) && !has_reader_left();
}

}  // namespace

int run_program(int argc, char** argv) {
    try {
        const int code = run(argc, argv);
        if (is_output_lost()) return fail("cannot write the result to standard output");
        if (interrupting_signal() != 0) return interrupted(" when the work was done");
        return code;
    } catch (const Interrupted& stop) {
        return interrupted(stop);
    } catch (const std::bad_alloc&) {
        return fail("not enough memory");
    } catch (const std::exception& failure) {
        // A terminal sends Ctrl-C to the programs that this one started, too.
        if (interrupting_signal() != 0) return interrupted(std::string(": ") + failure.what());
        return fail(failure.what());
    }
}

bool use_color(const Globals& globals, int descriptor) {
    if (globals.color != "auto") return globals.color == "always";
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here ever changes the environment
    const char* refused = std::getenv("NO_COLOR");
    return (refused == nullptr || *refused == '\0') && ::isatty(descriptor) == 1;
}

}  // namespace npuscope::cli
