// Command lines as Python's argparse reads them: abbreviated long options, single-dash long
// options, values joined by "=" or written together. Source: documentation of the Python module
// argparse (3.11), "Option value syntax" and "Argument abbreviations".
#pragma once

#include <exception>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace npuscope::msaccucmp {

/// What an option's value must be.
enum class ValueKind {
    kFlag,        ///< takes no value
    kText,        ///< anything
    kPath,        ///< only characters of _ A-Z a-z 0-9 / . , -
    kInteger,     ///< an int, one of `choices` when there are any
    kIntegerList  ///< one or more of them
};

struct OptionSpec {
    std::vector<std::string> names;  ///< "-m", "--my_dump_path"
    std::string key;
    ValueKind kind = ValueKind::kText;
    std::string help;
    bool required = false;
    std::vector<int> choices{};
    std::vector<std::string> words{};  ///< a text must be one of these, if there are any
    int exclusive_group = 0;           ///< options of one group other than 0 exclude each other
};

/// Appends an option; what is returned is valid until the next one.
OptionSpec& add_option(std::vector<OptionSpec>& specs,
                       std::vector<std::string> names,
                       std::string key,
                       ValueKind kind,
                       std::string help);

/// Values by key; a flag that was given has the value "". A list is joined with ",".
using ParsedArguments = std::map<std::string, std::string>;

/// Thrown for -h.
struct HelpAsked : std::exception {
    [[nodiscard]] const char* what() const noexcept override { return "help was asked for"; }
};

/// Errors: CommandError(kUsageError) as argparse's error(); HelpAsked.
[[nodiscard]] ParsedArguments parse_arguments(std::span<const OptionSpec> specs,
                                              std::span<const std::string> arguments);

/// "usage: msaccucmp compare [-h] -m MY_DUMP_PATH …"
[[nodiscard]] std::string usage_of(const std::string& program, std::span<const OptionSpec> specs);
[[nodiscard]] std::string help_of(const std::string& program,
                                  const std::string& description,
                                  std::span<const OptionSpec> specs);

}  // namespace npuscope::msaccucmp
