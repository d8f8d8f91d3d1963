#include "cli/manual/man_page.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <sstream>
#include <vector>

#include "core/base/version.h"
#include "msaccucmp/msaccucmp.h"

namespace npuscope::cli {

namespace {

/// Text that roff prints as it is; hyphens stay those of the keyboard where they are typed.
std::string plain(std::string_view text, bool is_typed = false) {
    std::string out;
    for (const char c : text) {
        if (c == '\\')
            out += "\\e";
        else if (c == '\n')
            out += ' ';
        else if (c == '-' && is_typed)
            out += "\\-";
        else
            out += c;
    }
    const bool is_request = !out.empty() && (out[0] == '.' || out[0] == '\'');
    return (is_request ? "\\&" : "") + out;
}

std::string in_font(char font, std::string_view text) {
    return std::string("\\f") + font + plain(text, true) + "\\fR";
}

std::string bold(std::string_view text) {
    return in_font('B', text);
}

std::string italic(std::string_view text) {
    return in_font('I', text);
}

/// Sentences: words in backticks are bold, options keep their hyphens.
std::string prose(std::string_view text) {
    std::string out;
    bool is_code = false;
    size_t at = 0;
    while (at < text.size()) {
        const size_t end = std::min(text.find('`', at), text.size());
        const std::string_view piece = text.substr(at, end - at);
        if (is_code) {
            out += bold(piece);
        } else {
            for (size_t i = 0; i < piece.size(); ++i) {
                const bool begins =
                    i == 0 || piece[i - 1] == ' ' || piece[i - 1] == '(' || piece[i - 1] == '-';
                out += piece[i] == '-' && begins ? "\\-" : plain(piece.substr(i, 1));
            }
        }
        is_code = !is_code;
        at = end + 1;
    }
    const bool is_request = !out.empty() && (out[0] == '.' || out[0] == '\'');
    return (is_request ? "\\&" : "") + out + "\n";
}

std::string upper(std::string text) {
    for (char& c : text)
        c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return text;
}

/// The day that the page is made on; that of SOURCE_DATE_EPOCH where builds must repeat.
std::string day() {
    std::time_t now = std::time(nullptr);
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here changes the environment
    if (const char* fixed = std::getenv("SOURCE_DATE_EPOCH"))
        now = static_cast<std::time_t>(std::strtoll(fixed, nullptr, 10));
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    std::array<char, 16> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%d", &parts);
    return text.data();
}

std::string head(const std::string& name, const std::string& summary) {
    return ".TH " + upper(plain(name)) + " 1 " + day() + " \"npuscope " + kVersion +
           "\" \"User Commands\"\n.SH NAME\n" + plain(name, true) + " \\- " + prose(summary);
}

std::string operand(const DescribedOption& option) {
    return option.value.empty() ? "" : " " + italic(option.value) + (option.repeats ? " ..." : "");
}

std::string option_text(const DescribedOption& option) {
    std::string text = ".TP\n";
    for (const std::string& name : option.names) {
        if (&name != &option.names.front()) text += ", ";
        text += option.is_positional ? italic(name) : bold(name);
    }
    text += (option.is_positional ? "" : operand(option)) + "\n" + prose(option.meaning);
    if (!option.values.empty()) {
        text += ".br\nOne of";
        for (const std::string& value : option.values)
            text += (&value == &option.values.front() ? " " : ", ") + bold(value);
        text += ".\n";
    }
    if (!option.fallback.empty()) text += ".br\nDefault: " + bold(option.fallback) + ".\n";
    if (option.is_required) text += ".br\nRequired.\n";
    return text;
}

std::string options_text(const std::vector<DescribedOption>& options) {
    std::string text;
    for (const DescribedOption& option : options)
        if (option.is_positional) text += option_text(option);
    for (const DescribedOption& option : options)
        if (!option.is_positional) text += option_text(option);
    return text;
}

/// Positionals and what is required; the rest as [OPTION]....
std::string synopsis(const std::string& words, const std::vector<DescribedOption>& options) {
    std::string text = ".SH SYNOPSIS\n" + bold(words) + " [" + italic("OPTION") + "]...";
    for (const DescribedOption& option : options) {
        const std::string& name = option.names.front();
        if (option.is_positional) {
            const std::string word = italic(name) + (option.repeats ? "..." : "");
            text += option.is_required ? " " + word : " [" + word + "]";
        } else if (option.is_required) {
            text += " " + bold(name) + operand(option);
        }
    }
    return text + "\n";
}

std::string exit_status(const std::string& footer) {
    return footer.empty() ? "" : ".SH EXIT STATUS\n" + prose(footer);
}

std::string see_also(const std::vector<std::string>& pages) {
    std::string text = ".SH SEE ALSO\n";
    for (const std::string& page : pages)
        text += ".BR " + plain(page, true) + " (1)" + (&page == &pages.back() ? "\n" : ",\n");
    return text;
}

constexpr const char* kEnvironment =
    ".SH ENVIRONMENT\n"
    ".TP\n\\fBNO_COLOR\\fR\nSet to anything: output carries no colours unless \\fB\\-\\-color "
    "always\\fR asks for them.\n"
    ".TP\n\\fBTMPDIR\\fR\nWhere temporary files go.\n";

/// Lines that are shown as they stand.
std::string verbatim(const std::string& text) {
    std::string out = ".nf\n";
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        out += (line.empty() ? "" : plain(line, true)) + "\n";
    return out + ".fi\n";
}

std::string msaccucmp_help(const std::vector<std::string>& words) {
    std::ostringstream out;
    std::ostringstream err;
    static_cast<void>(msaccucmp::run(words, out, err));
    return out.str();
}

}  // namespace

std::string man_page(const DescribedProgram& program) {
    const size_t colon = program.summary.find(": ");
    std::string text =
        head(program.name,
             colon == std::string::npos ? program.summary : program.summary.substr(colon + 2));
    text += ".SH SYNOPSIS\n" + bold(program.name) + " " + italic("COMMAND") + " [" +
            italic("OPTION") + "]...\n.br\n" + bold(program.name) + " [" + bold("--help") + "] [" +
            bold("--version") + "]\n";
    text +=
        ".SH DESCRIPTION\n"
        "Finds out why a neural network computes other numbers on an Ascend NPU than on a CPU "
        "or GPU, and which op is to blame. No NPU is needed: the chip\\(aqs arithmetic is "
        "emulated op by op.\n.PP\n"
        "Results go to standard output, progress and errors to standard error.\n";
    text += ".SH COMMANDS\n";
    for (const DescribedCommand& command : program.commands)
        text += ".TP\n" + bold(command.name) + "\n" + prose(command.summary);
    text += ".SH OPTIONS\n" + options_text(program.options);
    text += exit_status(program.commands.front().footer) + kEnvironment;
    text +=
        ".SH EXAMPLES\nThe built\\-in sample, a small network for handwritten digits:\n.PP\n"
        ".RS\n" +
        bold("npuscope check") + "\n.RE\n";
    std::vector<std::string> pages;
    for (const DescribedCommand& command : program.commands)
        pages.push_back(program.name + "-" + command.name);
    std::ranges::sort(pages);
    pages.insert(pages.begin(), "msaccucmp");
    return text + see_also(pages);
}

std::string man_page(const DescribedProgram& program, const DescribedCommand& command) {
    std::string text = head(program.name + "-" + command.name, command.summary);
    text += synopsis(program.name + " " + command.name, command.options);
    text += ".SH OPTIONS\n" + options_text(command.options);
    text += exit_status(command.footer) + kEnvironment;
    return text + see_also({program.name, "msaccucmp"});
}

std::string msaccucmp_man_page() {
    const std::string all = msaccucmp_help({"--help"});
    std::string text = head("msaccucmp", "compare and convert the dumps of an Ascend NPU");
    text += ".SH SYNOPSIS\n" + bold("msaccucmp") + " " + italic("COMMAND") + " [" +
            italic("OPTION") + "]...\n.SH DESCRIPTION\n" +
            "Takes the options of the reference tool of the same name, writes its columns and "
            "ends with its exit codes.\n.PP\n" +
            verbatim(all);
    std::istringstream lines(all.substr(std::min(all.find("Commands:\n"), all.size())));
    std::string line;
    while (std::getline(lines, line)) {
        if (!line.starts_with("  ")) continue;
        const std::string command = line.substr(2, line.find(' ', 2) - 2);
        text += ".SH " + upper(plain(command)) + "\n" + verbatim(msaccucmp_help({command, "-h"}));
    }
    return text + see_also({"npuscope"});
}

}  // namespace npuscope::cli
