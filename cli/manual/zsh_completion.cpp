#include "cli/manual/completion.h"

namespace npuscope::cli {

namespace {

/// Inside single quotes of zsh; in a specification of _arguments brackets and colons mean
/// something.
std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '\'')
            out += "'\\''";
        else if (c == '[' || c == ']' || c == ':' || c == '\\')
            out += std::string("\\") + c;
        else
            out += c;
    }
    return out;
}

std::string action(const DescribedOption& option) {
    if (option.values.empty()) return option.operand == Operand::kFile ? "_files" : " ";
    std::string values;
    for (const std::string& value : option.values)
        values += (values.empty() ? "" : " ") + value;
    return "(" + values + ")";
}

std::string following(const DescribedOption& option) {
    return option.operand == Operand::kNone ? ""
                                            : ":" + escaped(option.value) + ":" + action(option);
}

/// What _arguments takes for an option or a positional.
std::string specification(const DescribedOption& option) {
    if (option.is_positional)
        return "'" + std::string(option.repeats ? "*" : "") + ":" + escaped(option.names.front()) +
               ":" + action(option) + "'";
    // Those that are given once exclude each other.
    std::string names;
    std::string list;
    for (const std::string& name : option.names) {
        names += (names.empty() ? "" : " ") + name;
        list += (list.empty() ? "" : ",") + name;
    }
    std::string text = option.repeats ? "'*'" : "'(" + names + ")'";
    text += option.names.size() > 1 ? "{" + list + "}" : names;
    return text + "'[" + escaped(first_clause(option.meaning)) + "]" + following(option) + "'";
}

std::string arguments(const std::string& indent, const std::vector<DescribedOption>& options) {
    std::string text;
    for (const DescribedOption& option : options)
        text += " \\\n" + indent + specification(option);
    return text;
}

}  // namespace

std::string zsh_completion(const DescribedProgram& program) {
    std::string text =
        "#compdef npuscope\n# Completes npuscope in zsh; written by `npuscope help "
        "--completion zsh`.\n_npuscope() {\n    local context state line\n    local "
        "-a commands=(\n";
    for (const DescribedCommand& command : program.commands)
        text += "        '" + command.name + ":" + escaped(command.summary) + "'\n";
    text += "    )\n    _arguments -C" + arguments("        ", program.options) +
            " \\\n        '1: :->command' '*:: :->rest' && return\n"
            "    case $state in\n"
            "    command) _describe command commands ;;\n"
            "    rest)\n"
            "        case $words[1] in\n";
    for (const DescribedCommand& command : program.commands)
        text += "        " + command.name + ")\n            _arguments -s" +
                arguments("                ", command.options) + " ;;\n";
    return text +
           "        esac ;;\n    esac\n}\n"
           "if [[ $funcstack[1] == _npuscope ]]; then\n    _npuscope \"$@\"\nelse\n"
           "    compdef _npuscope npuscope\nfi\n";
}

}  // namespace npuscope::cli
