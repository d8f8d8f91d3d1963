// npuscope help TOPIC: the tables that the programs are built from, and the options of each
// command.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/manual/completion.h"
#include "cli/manual/described.h"
#include "cli/manual/man_page.h"
#include "cli/topics.h"
#include "core/base/error.h"
#include "core/base/json_value.h"
#include "core/base/printable.h"

namespace npuscope::cli {

namespace {

// `text` in lines of at most `width` characters, broken at spaces.
std::vector<std::string> wrapped(const std::string& text, size_t width) {
    std::vector<std::string> lines(1);
    size_t at = 0;
    while (at < text.size()) {
        const size_t end = std::min(text.find(' ', at), text.size());
        const std::string word = text.substr(at, end - at);
        if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width)
            lines.emplace_back();
        lines.back() += (lines.back().empty() ? "" : " ") + word;
        at = end + 1;
    }
    return lines;
}

std::string terminal_text(const Table& table) {
    constexpr size_t kWidth = 100;
    size_t column = 0;
    for (size_t i = 1; i < table.headers.size(); ++i)
        column = std::max(column, table.headers[i].size() + 4);
    std::string text;
    for (const Row& row : table.rows) {
        text += row[0] + "\n";
        for (size_t i = 1; i < row.size(); ++i) {
            if (row[i].empty()) continue;
            std::string label = "  " + table.headers[i];
            for (const std::string& line : wrapped(row[i], kWidth - column)) {
                text += fmt::format("{:<{}}{}\n", label, column, line);
                label.clear();
            }
        }
    }
    return text;
}

std::string markdown_text(const Table& table) {
    const auto line = [](const Row& cells) {
        std::string text = "|";
        for (const std::string& cell : cells) {
            text += " ";
            for (const char c : cell)
                text += (c == '|' || c == '<' ? "\\" : "") + std::string(1, c);
            text += " |";
        }
        return text + "\n";
    };
    std::string text = line(table.headers) + "|";
    for (size_t i = 0; i < table.headers.size(); ++i)
        text += "---|";
    text += "\n";
    for (const Row& row : table.rows)
        text += line(row);
    return text;
}

std::string json_text(const Table& table) {
    auto array = nlohmann::ordered_json::array();
    for (const Row& row : table.rows) {
        nlohmann::ordered_json object;
        for (size_t i = 0; i < row.size(); ++i)
            object[table.headers[i]] = row[i];
        array.push_back(std::move(object));
    }
    return npuscope::json_text(array, 2) + "\n";
}

// The options of a command, without those that every command has.
Table options_of(const CLI::App& command) {
    const auto commands =
        command.get_parent()->get_subcommands([](const CLI::App*) { return true; });
    Table table{{"option", "value", "default", "meaning"}, {}};
    for (const CLI::Option* option : command.get_options()) {
        const std::string name = option->get_name(option->get_positional());
        if (std::ranges::all_of(commands, [&](const CLI::App* other) {
                return other->get_option_no_throw(name) != nullptr;
            }))
            continue;
        table.rows.push_back({typed(*option),
                              option->get_type_size() == 0 ? "" : option->get_type_name(),
                              option->get_required() ? "required" : default_of(*option),
                              option->get_description()});
    }
    return table;
}

std::string topics_text() {
    std::string text = "npuscope help TOPIC, with TOPIC one of\n";
    for (const Topic& topic : all_topics())
        text += fmt::format("  {:<13} {}\n", topic.name, topic.summary);
    return text +
           "or a command, for its options; npuscope COMMAND --help tells more about a command.\n";
}

struct HelpArguments {
    std::string topic;
    bool markdown = false;
    bool man = false;
    std::string shell;
};

const Topic* find_topic(const std::string& name) {
    const auto found = std::ranges::find(all_topics(), name, &Topic::name);
    return found == all_topics().end() ? nullptr : &*found;
}

std::string unknown_topic(const std::string& name) {
    std::string text = "there is no help about " + in_quotes(name) + "; there is";
    for (const Topic& topic : all_topics())
        text += std::string(&topic == all_topics().data() ? " " : ", ") + topic.name;
    return text + ", and each command";
}

// One table; the tables that belong to it follow, but not in JSON.
std::string help_text(const HelpArguments& arguments,
                      const Globals& globals,
                      const CLI::App& program) {
    const Topic* topic = find_topic(arguments.topic);
    const auto commands = program.get_subcommands(
        [&](const CLI::App* each) { return each->get_name() == arguments.topic; });
    if (topic == nullptr && commands.empty())
        throw Error(ErrorKind::kUsage, unknown_topic(arguments.topic));
    const Table table = topic != nullptr ? topic->table() : options_of(*commands.front());
    if (globals.json) return json_text(table);
    const auto form = arguments.markdown ? markdown_text : terminal_text;
    std::string text = form(table);
    if (topic == nullptr) return text;
    for (const char* name : topic->more)
        text += fmt::format(
            "\n{}{}\n\n{}", arguments.markdown ? "## " : "", name, form(find_topic(name)->table()));
    return text + topic->note;
}

std::string manual_text(const std::string& page, const CLI::App& app) {
    if (page == "msaccucmp") return msaccucmp_man_page();
    const DescribedProgram program = describe_program(app);
    if (page.empty()) return man_page(program);
    const auto found = std::ranges::find(program.commands, page, &DescribedCommand::name);
    if (found == program.commands.end())
        throw Error(ErrorKind::kUsage,
                    "there is no manual page of " + in_quotes(page) +
                        "; there is one of each command, and of msaccucmp");
    return man_page(program, *found);
}

std::string completion_text(const HelpArguments& arguments, const CLI::App& program) {
    if (arguments.man || arguments.markdown || !arguments.topic.empty())
        throw Error(ErrorKind::kUsage, "--completion stands alone");
    return std::ranges::find(all_shells(), arguments.shell, &Shell::name)
        ->script(describe_program(program));
}

int run_help(const HelpArguments& arguments, const Globals& globals, const CLI::App& program) {
    const std::string text = !arguments.shell.empty()  ? completion_text(arguments, program)
                             : arguments.man           ? manual_text(arguments.topic, program)
                             : arguments.topic.empty() ? topics_text()
                                                       : help_text(arguments, globals, program);
    std::fwrite(text.data(), 1, text.size(), stdout);
    return kNoFinding;
}

std::function<int()> configure_help(CLI::App& app, const Globals& globals) {
    auto arguments = std::make_shared<HelpArguments>();
    app.add_option(
        "TOPIC", arguments->topic, "a table or a command; without one: the list of topics");
    app.add_flag("--markdown", arguments->markdown, "a table in Markdown");
    app.add_flag(
        "--man",
        arguments->man,
        "the manual page of a command, of msaccucmp, or without TOPIC of npuscope, in roff");
    std::vector<std::string> shells;
    for (const Shell& shell : all_shells())
        shells.emplace_back(shell.name);
    app.add_option(
           "--completion", arguments->shell, "a script that completes npuscope's command lines")
        ->check(CLI::IsMember(shells));
    return [arguments, &globals, &app] { return run_help(*arguments, globals, *app.get_parent()); };
}

}  // namespace

extern const Command k_help_command;
const Command k_help_command = {
    "help", "print the tables: chips, ops, kernels, detectors, …", configure_help, true};

}  // namespace npuscope::cli
