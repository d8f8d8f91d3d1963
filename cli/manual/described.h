// What manual pages and completions tell of the commands, read from their declared options.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
class Option;
}  // namespace CLI

namespace npuscope::cli {

/// What follows an option, or stands in a positional's place.
enum class Operand { kNone, kNumber, kWord, kFile };

struct DescribedOption {
    std::vector<std::string> names;   ///< as they are typed, short ones first; a positional's own
    std::string value;                ///< "TEXT"; "" of a flag
    std::string fallback;             ///< its value where it is not given, or ""
    std::string meaning;              ///< one line
    std::vector<std::string> values;  ///< what its value may be; empty: not a list
    Operand operand = Operand::kNone;
    bool is_positional = false;
    bool is_required = false;
    bool repeats = false;  ///< several values may follow
};

struct DescribedCommand {
    std::string name;
    std::string summary;
    std::string footer;  ///< what its help ends with
    std::vector<DescribedOption> options;
};

struct DescribedProgram {
    std::string name;
    std::string summary;
    std::string footer;
    std::vector<DescribedOption> options;
    std::vector<DescribedCommand> commands;
};

/// The names of an option as they are typed, joined: "-o, --output".
[[nodiscard]] std::string typed(const CLI::Option& option);

/// The value of an option that is not given, or "". A flag has none, though it may take a value and
/// CLI11 2.4 tells its variable's.
[[nodiscard]] std::string default_of(const CLI::Option& option);

/// Every command must have its options declared (Command::tells_of_others).
[[nodiscard]] DescribedProgram describe_program(const CLI::App& program);

/// The text up to where its first sentence or clause ends, without what stands in parentheses.
[[nodiscard]] std::string first_clause(std::string_view text);

}  // namespace npuscope::cli
