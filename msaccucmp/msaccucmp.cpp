#include "msaccucmp/msaccucmp.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <filesystem>
#include <unistd.h>
#include <utility>

#include "msaccucmp/base/exit_codes.h"
#include "msaccucmp/base/log.h"
#include "msaccucmp/base/paths.h"
#include "msaccucmp/columns/options.h"
#include "msaccucmp/convert/convert.h"
#include "msaccucmp/folders/batch_compare.h"
#include "msaccucmp/folders/folder_compare.h"
#include "msaccucmp/folders/plain_files.h"
#include "msaccucmp/h5/h5_compare.h"
#include "msaccucmp/overflow/overflow.h"

namespace npuscope::msaccucmp {

namespace {

constexpr const char* kProgram = "msaccucmp";

/// The reference tool refuses a folder that is not there (3) before it refuses -c with .h5 files
/// (6).
void check_custom_folder(const CompareOptions& options, Log& log) {
    if (options.custom_script_path.empty()) return;
    require_output_folder(options.output_path, log);
    require_path(options.custom_script_path, PathType::kDirectory, log);
}

/// A folder of rule files asks for a batch. Errors: CommandError(kInvalidPath) where it is neither
/// a file nor a folder.
bool is_batch(const CompareOptions& options, Log& log) {
    if (options.fusion_rule_file.empty() ||
        std::filesystem::is_regular_file(options.fusion_rule_file))
        return false;
    require_path(options.fusion_rule_file, PathType::kDirectory, log);
    return true;
}

int compare(const CompareOptions& options, std::ostream& out, Log& log) {
    if (options.mapping) return compare_folders(options, out, log);
    for (const std::string& path : {options.my_path, options.golden_path})
        require_path(path, PathType::kAny, log);
    const bool are_files = std::filesystem::is_regular_file(options.my_path) &&
                           std::filesystem::is_regular_file(options.golden_path);
    if (are_files && options.my_path.ends_with(".h5") && options.golden_path.ends_with(".h5")) {
        check_custom_folder(options, log);
        return compare_h5(options, log);
    }
    if (options.post_process) throw CommandError(kInvalidParameter, "-p is only for .h5 dumps.");
    if (are_files) return compare_plain_files(options, log);
    if (is_batch(options, log)) return compare_batch(options, out, log);
    return compare_folders(options, out, log);
}

struct Command {
    const char* name;
    const char* description;
    std::vector<OptionSpec> (*specs)(std::span<const std::string> arguments);
    int (*run)(std::span<const std::string> arguments, std::ostream& out, Log& log);
};

constexpr auto kCommands = std::to_array<Command>({
    {"compare",
     "Compares two dumps tensor by tensor.",
     compare_option_specs,
     [](std::span<const std::string> arguments, std::ostream& out, Log& log) {
         return compare(parse_compare_options(arguments, log), out, log);
     }},
    {"convert",
     "Converts binary dumps to arrays, and their memory formats.",
     [](std::span<const std::string>) { return convert_option_specs(); },
     [](std::span<const std::string> arguments, std::ostream&, Log& log) {
         return convert(parse_convert_options(arguments, log), log);
     }},
    {"file_compare",
     "Compares two .npy files.",
     [](std::span<const std::string>) { return file_compare_option_specs(); },
     [](std::span<const std::string> arguments, std::ostream&, Log& log) {
         return file_compare(arguments, log);
     }},
    {"overflow",
     "Says which ops overflowed first, from the dumps of an overflow run.",
     [](std::span<const std::string>) { return overflow_option_specs(); },
     [](std::span<const std::string> arguments, std::ostream&, Log& log) {
         return overflow(parse_overflow_options(arguments), log);
     }},
});

std::string names_of_commands() {
    std::string names;
    for (const Command& command : kCommands)
        names += (names.empty() ? "" : ",") + std::string(command.name);
    return names;
}

std::string usage() {
    return "usage: " + std::string(kProgram) + " [-h] {" + names_of_commands() + "} ...\n";
}

/// Usage errors are printed as argparse prints them; all else is logged. Only what is logged is
/// followed by the line with the time: not usage errors and not help.
struct Ended {
    int code = kOk;
    bool is_logged = true;
};

Ended run_command(const Command& command,
                  std::span<const std::string> arguments,
                  std::ostream& out,
                  std::ostream& err,
                  Log& log) {
    const std::string program = std::string(kProgram) + " " + command.name;
    try {
        return {.code = command.run(arguments, out, log)};
    } catch (const HelpAsked&) {
        out << help_of(program, command.description, command.specs(arguments));
        return {.code = kOk, .is_logged = false};
    } catch (const UsageError& stop) {
        err << usage_of(program, command.specs(arguments)) << program
            << ": error: " << log_safe(stop.what()) << "\n";
        return {.code = stop.code(), .is_logged = false};
    } catch (const CommandError& stop) {
        if (*stop.what() != '\0') log.error(stop.what());
        return {.code = stop.code()};
    }
}

bool is_help(const std::string& word) {
    return word == "-h" || (word.size() > 2 && std::string("--help").starts_with(word));
}

void log_end(Log& log, std::chrono::steady_clock::time_point start) {
    const auto seconds =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - start);
    log.info("The command was completed and took " + std::to_string(seconds.count()) + " seconds.");
}

}  // namespace

int run(std::span<const std::string> arguments,
        std::ostream& out,
        std::ostream& err,
        std::function<void()> between_steps) {
    const auto start = std::chrono::steady_clock::now();
    Log log(err, std::move(between_steps));
    if (::getuid() == 0)
        log.warning(std::string(kProgram) + " runs as root; an ordinary user is safer and enough.");
    if (arguments.empty()) {
        out << usage();
        log_end(log, start);
        return kInvalidParameter;
    }
    if (is_help(arguments.front())) {
        out << usage() << "\nCommands:\n";
        for (const Command& command : kCommands)
            out << "  " << command.name << "  " << command.description << "\n";
        return kOk;
    }
    const auto command = std::find_if(kCommands.begin(), kCommands.end(), [&](const Command& each) {
        return arguments.front() == each.name;
    });
    if (command == kCommands.end()) {
        err << usage() << kProgram << ": error: there is no command '"
            << log_safe(arguments.front()) << "' (choose from " << names_of_commands() << ")\n";
        return kUsageError;
    }
    try {
        const Ended ended = run_command(*command, arguments.subspan(1), out, err, log);
        if (ended.is_logged) log_end(log, start);
        return ended.code;
    } catch (const std::bad_alloc&) {
        log.error("Not enough memory.");
    } catch (const std::exception& failure) {
        log.error(failure.what());
    }
    return kUnknownError;
}

}  // namespace npuscope::msaccucmp
