// What every command of npuscope is made of.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace npuscope::cli {

/// Exit codes of every command.
inline constexpr int kNoFinding = 0;
inline constexpr int kFinding = 1;  ///< differences or overflow found
inline constexpr int kNotDone = 2;  ///< could not do the work; nothing compared is this too

/// Options that every command takes.
struct Globals {
    bool json = false;
    bool quiet = false;
    bool verbose = false;
    bool trust_files = false;    ///< docs/trust.md
    std::string color = "auto";  ///< auto, always, never; NO_COLOR is honoured with auto
    std::string command_line{};  ///< as it was given, for a shell
};

/// Whether text for `descriptor` (1 or 2) should carry colours.
[[nodiscard]] bool use_color(const Globals& globals, int descriptor);

/// One row of cli/commands/commands.def.
struct Command {
    std::string_view name;
    std::string_view summary;
    /// Declares the options on the subcommand and returns what runs after parsing (its exit code).
    std::function<int()> (*configure)(CLI::App& app, const Globals& globals);
    bool tells_of_others = false;  ///< it wants the options of all commands declared
};

}  // namespace npuscope::cli
