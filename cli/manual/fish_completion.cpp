#include "cli/manual/completion.h"

namespace npuscope::cli {

namespace {

/// A word of fish that holds the text as it is.
std::string literal(std::string_view text) {
    std::string out = "'";
    for (const char c : text)
        out += (c == '\'' || c == '\\' ? "\\" : "") + std::string(1, c);
    return out + "'";
}

std::string option_line(const std::string& condition, const DescribedOption& option) {
    std::string line = "complete -c npuscope -n " + literal(condition);
    if (!option.is_positional)
        for (const std::string& name : option.names)
            line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (!option.values.empty()) {
        std::string values;
        for (const std::string& value : option.values)
            values += (values.empty() ? "" : " ") + value;
        line += (option.is_positional ? " -f -a " : " -x -a ") + literal(values);
    } else if (option.operand != Operand::kNone) {
        line += option.operand == Operand::kFile ? " -r -F" : " -x";
    }
    return line + " -d " + literal(first_clause(option.meaning)) + "\n";
}

}  // namespace

std::string fish_completion(const DescribedProgram& program) {
    std::string text =
        "# Completes npuscope in fish; written by `npuscope help --completion fish`.\n";
    for (const DescribedOption& option : program.options)
        text += option_line("__fish_use_subcommand", option);
    for (const DescribedCommand& command : program.commands)
        text += "complete -c npuscope -f -n __fish_use_subcommand -a " + command.name + " -d " +
                literal(command.summary) + "\n";
    for (const DescribedCommand& command : program.commands)
        for (const DescribedOption& option : command.options)
            if (!option.is_positional || !option.values.empty())
                text += option_line("__fish_seen_subcommand_from " + command.name, option);
    return text;
}

}  // namespace npuscope::cli
