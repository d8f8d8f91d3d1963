#include "cli/manual/described.h"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "cli/topics.h"
#include "compare/standards/standard.h"
#include "npu_backend/chips/chip.h"

namespace npuscope::cli {

namespace {

/// "TEXT:{auto,always,never}" -> auto, always, never.
std::vector<std::string> listed_in(const std::string& type) {
    const size_t open = type.find('{');
    const size_t close = type.find('}', open);
    std::vector<std::string> values;
    if (open == std::string::npos || close == std::string::npos) return values;
    for (size_t at = open + 1; at < close;) {
        const size_t end = std::min(type.find(',', at), close);
        values.push_back(type.substr(at, end - at));
        at = end + 1;
    }
    return values;
}

/// Options whose values are rows of a table.
std::vector<std::string> rows_for(const std::string& name) {
    std::vector<std::string> values;
    if (name == "--chip")
        for (const Chip& chip : all_chips())
            values.emplace_back(chip.name);
    if (name == "--standard")
        for (const compare::Standard& standard : compare::all_standards())
            values.emplace_back(standard.name);
    if (name == "TOPIC")
        for (const Topic& topic : all_topics())
            values.emplace_back(topic.name);
    return values;
}

Operand operand_of(const DescribedOption& option) {
    if (option.value.empty()) return Operand::kNone;
    if (!option.values.empty()) return Operand::kWord;
    for (const char* number : {"INT", "UINT", "FLOAT"})
        if (option.value == number) return Operand::kNumber;
    return Operand::kFile;
}

DescribedOption describe_option(const CLI::Option& option) {
    DescribedOption text;
    text.is_positional = option.get_positional();
    for (const std::string& name : option.get_snames())
        text.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames())
        text.names.push_back("--" + name);
    if (text.is_positional) text.names.insert(text.names.begin(), option.get_name(true));
    text.meaning = option.get_description();
    text.is_required = option.get_required();
    text.repeats = option.get_items_expected_max() > 1;
    if (option.get_type_size() == 0) return text;
    const std::string type = option.get_type_name();
    text.value = type.substr(0, type.find(':'));
    text.fallback = default_of(option);
    text.values = listed_in(type);
    for (const std::string& name : text.names)
        if (text.values.empty()) text.values = rows_for(name);
    text.operand = operand_of(text);
    return text;
}

std::vector<DescribedOption> declared_options(const CLI::App& app) {
    std::vector<DescribedOption> options;
    for (const CLI::Option* option : app.get_options())
        options.push_back(describe_option(*option));
    return options;
}

}  // namespace

std::string default_of(const CLI::Option& option) {
    return option.get_items_expected_min() > 0 ? option.get_default_str() : "";
}

std::string typed(const CLI::Option& option) {
    std::string text;
    for (const std::string& name : describe_option(option).names)
        text += (text.empty() ? "" : ", ") + name;
    return text;
}

DescribedProgram describe_program(const CLI::App& program) {
    DescribedProgram text{.name = program.get_name(),
                          .summary = program.get_description(),
                          .footer = program.get_footer(),
                          .options = declared_options(program),
                          .commands = {}};
    for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; }))
        text.commands.push_back({.name = command->get_name(),
                                 .summary = command->get_description(),
                                 .footer = command->get_footer(),
                                 .options = declared_options(*command)});
    // `help` takes commands, too.
    for (DescribedCommand& command : text.commands)
        for (DescribedOption& option : command.options)
            if (option.names.front() == "TOPIC")
                for (const DescribedCommand& other : text.commands)
                    option.values.push_back(other.name);
    return text;
}

std::string first_clause(std::string_view text) {
    std::string clause;
    int depth = 0;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool ends = i + 1 == text.size() || text[i + 1] == ' ';
        // "exact: every op …" begins with a value.
        const bool says_something = c != ':' || clause.find(' ') != std::string::npos;
        if (depth == 0 && ends && says_something && (c == ';' || c == ':' || c == '.')) break;
        depth += (c == '(' ? 1 : 0) - (depth > 0 && c == ')' ? 1 : 0);
        const bool is_space_again = c == ' ' && clause.ends_with(' ');
        if (depth == 0 && c != ')' && !is_space_again) clause += c;
    }
    while (!clause.empty() && clause.back() == ' ')
        clause.pop_back();
    return clause;
}

}  // namespace npuscope::cli
