// One function without helpers of bash-completion, which not every machine has.
#include "cli/manual/completion.h"

namespace npuscope::cli {

namespace {

std::string words(const std::vector<std::string>& all) {
    std::string text;
    for (const std::string& word : all)
        text += (text.empty() ? "" : " ") + word;
    return text;
}

std::string option_words(const std::vector<DescribedOption>& options) {
    std::string text;
    for (const DescribedOption& option : options)
        if (!option.is_positional) text += (text.empty() ? "" : " ") + words(option.names);
    return text;
}

/// "compare:-m|compare:--target", a pattern of the command and the word before.
std::string pattern(const std::string& command, const DescribedOption& option) {
    std::string text;
    for (const std::string& name : option.names)
        text.append(text.empty() ? "" : " | ").append(command).append(":").append(name);
    return text;
}

/// What the word after an option, or a positional, may be.
std::string operands(const DescribedOption& option) {
    if (!option.values.empty()) return "values='" + words(option.values) + "'";
    return option.operand == Operand::kFile ? "files=yes" : "files=no";
}

constexpr const char* kHead =
    R"(# Completes npuscope in bash; written by `npuscope help --completion bash`.
_npuscope() {
    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} at=$COMP_CWORD
    local command= options= values= files= word
    COMPREPLY=()
    # bash takes "--color=al" for three words.
    if [[ $current == = ]]; then
        current=
    elif [[ $before == = && $at -gt 2 ]]; then
        before=${COMP_WORDS[at - 2]}
    fi
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        if [[ $word != -* ]]; then
            command=$word
            break
        fi
    done
    case $command in
)";

constexpr const char* kTail = R"(    esac
    if [[ -n $values ]]; then
        COMPREPLY=($(compgen -W "$values" -- "$current"))
    elif [[ $files == yes || (-z $files && $current != -*) ]]; then
        compopt -o filenames 2>/dev/null || :
        local IFS=$'\n'
        COMPREPLY=($(compgen -f -- "$current"))
    elif [[ -z $files ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$current"))
    fi
}
complete -F _npuscope npuscope
)";

}  // namespace

std::string bash_completion(const DescribedProgram& program) {
    std::vector<std::string> names;
    std::string text = kHead;
    for (const DescribedCommand& command : program.commands) {
        names.push_back(command.name);
        text +=
            "        " + command.name + ") options='" + option_words(command.options) + "' ;;\n";
    }
    text += "        *) values='" + words(names) + " " + option_words(program.options) +
            "' ;;\n    esac\n    case $command:$before in\n";
    for (const DescribedCommand& command : program.commands) {
        std::string positional;
        for (const DescribedOption& option : command.options) {
            if (option.is_positional) {
                if (!option.values.empty())
                    positional = "        " + command.name + ":" + command.name +
                                 ") [[ $current == -* ]] || " + operands(option) + " ;;\n";
            } else if (option.operand != Operand::kNone) {
                text +=
                    "        " + pattern(command.name, option) + ") " + operands(option) + " ;;\n";
            }
        }
        text += positional;
    }
    return text + kTail;
}

}  // namespace npuscope::cli
