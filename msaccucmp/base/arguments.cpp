#include "msaccucmp/base/arguments.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <set>

#include "msaccucmp/base/exit_codes.h"

namespace npuscope::msaccucmp {

namespace {

[[noreturn]] void refuse(const std::string& message) {
    throw UsageError(message);
}

std::string names_of(const OptionSpec& spec) {
    std::string joined;
    for (const std::string& name : spec.names)
        joined += (joined.empty() ? "" : "/") + name;
    return joined;
}

/// An argument that was recognised as an option, with a value written in the same word.
struct Found {
    const OptionSpec* spec = nullptr;
    std::string name;
    std::optional<std::string> value;
};

class Parser {
  public:
    Parser(std::span<const OptionSpec> specs, std::span<const std::string> arguments)
        : specs_(specs), arguments_(arguments) {}

    ParsedArguments run() {
        std::vector<std::string> extras;
        size_t at = 0;
        bool only_positional = false;
        while (at < arguments_.size()) {
            const std::string& word = arguments_[at++];
            if (!only_positional && looks_like_option(word)) {
                if (word == "--") {
                    only_positional = true;
                    continue;
                }
                if (const auto found = recognise(word)) {
                    if (found->name == "-h" || found->name == "--help") throw HelpAsked{};
                    at = take(*found, at);
                    continue;
                }
            }
            extras.push_back(word);
        }
        check_required();
        if (!extras.empty()) {
            std::string all;
            for (const std::string& extra : extras)
                all += " " + extra;
            refuse("unrecognized arguments:" + all);
        }
        return values_;
    }

  private:
    static bool is_negative_number(const std::string& word) {
        if (word.size() < 2 || word[0] != '-') return false;
        size_t digits = 0;
        size_t dots = 0;
        for (size_t i = 1; i < word.size(); ++i) {
            if (word[i] == '.') {
                ++dots;
            } else if (std::isdigit(static_cast<unsigned char>(word[i])) != 0) {
                ++digits;
            } else {
                return false;
            }
        }
        return digits > 0 && dots <= 1 && word.back() != '.';
    }

    bool is_name(const std::string& word) const {
        if (word == "-h" || word == "--help") return true;
        return std::any_of(specs_.begin(), specs_.end(), [&](const OptionSpec& spec) {
            return std::find(spec.names.begin(), spec.names.end(), word) != spec.names.end();
        });
    }

    bool looks_like_option(const std::string& word) const {
        if (word.size() < 2 || word[0] != '-') return false;
        if (word == "--" || is_name(word)) return true;
        if (word.find('=') != std::string::npos && is_name(word.substr(0, word.find('='))))
            return true;
        if (!candidates(word).empty()) return true;
        return !is_negative_number(word) && word.find(' ') == std::string::npos;
    }

    std::vector<std::pair<const OptionSpec*, std::string>> all_names() const {
        static const OptionSpec help{
            .names = {"-h", "--help"}, .key = "help", .kind = ValueKind::kFlag, .help = {}};
        std::vector<std::pair<const OptionSpec*, std::string>> names;
        names.emplace_back(&help, "-h");
        names.emplace_back(&help, "--help");
        for (const OptionSpec& spec : specs_)
            for (const std::string& name : spec.names)
                names.emplace_back(&spec, name);
        return names;
    }

    std::vector<Found> candidates(const std::string& word) const {
        std::vector<Found> found;
        if (word.starts_with("--")) {
            const size_t equals = word.find('=');
            const std::string prefix = word.substr(0, equals);
            for (const auto& [spec, name] : all_names())
                if (name.starts_with(prefix))
                    found.push_back({spec,
                                     name,
                                     equals == std::string::npos
                                         ? std::nullopt
                                         : std::optional(word.substr(equals + 1))});
            return found;
        }
        for (const auto& [spec, name] : all_names()) {
            if (name == word.substr(0, 2)) {
                found.push_back({spec, name, word.substr(2)});
            } else if (name.starts_with(word)) {
                found.push_back({spec, name, std::nullopt});
            }
        }
        return found;
    }

    std::optional<Found> recognise(const std::string& word) const {
        const auto exact = [&](const std::string& name) -> const OptionSpec* {
            for (const auto& [spec, each] : all_names())
                if (each == name) return spec;
            return nullptr;
        };
        if (const OptionSpec* spec = exact(word)) return Found{spec, word, std::nullopt};
        if (const size_t equals = word.find('='); equals != std::string::npos)
            if (const OptionSpec* spec = exact(word.substr(0, equals)))
                return Found{spec, word.substr(0, equals), word.substr(equals + 1)};
        std::vector<Found> found = candidates(word);
        if (found.size() > 1) {
            std::string options;
            for (const Found& each : found)
                options += (options.empty() ? "" : ", ") + each.name;
            refuse("ambiguous option: " + word + " could match " + options);
        }
        if (found.empty()) return std::nullopt;
        return found.front();
    }

    size_t take(const Found& found, size_t at) {
        const OptionSpec& spec = *found.spec;
        check_exclusive(spec);
        if (spec.kind == ValueKind::kFlag) {
            if (found.value)
                refuse("argument " + names_of(spec) + ": ignored explicit argument '" +
                       *found.value + "'");
            values_[spec.key] = "";
            return at;
        }
        if (found.value) {
            values_[spec.key] = checked(spec, *found.value);
            return at;
        }
        if (at >= arguments_.size() || looks_like_option(arguments_[at]))
            refuse("argument " + names_of(spec) +
                   (spec.kind == ValueKind::kIntegerList ? ": expected at least one argument"
                                                         : ": expected one argument"));
        values_[spec.key] = checked(spec, arguments_[at]);
        ++at;
        if (spec.kind != ValueKind::kIntegerList) return at;
        for (; at < arguments_.size() && !looks_like_option(arguments_[at]); ++at)
            values_[spec.key] += "," + checked(spec, arguments_[at]);
        return at;
    }

    void check_exclusive(const OptionSpec& spec) const {
        if (spec.exclusive_group == 0) return;
        for (const OptionSpec& other : specs_)
            if (&other != &spec && other.exclusive_group == spec.exclusive_group &&
                values_.contains(other.key))
                refuse("argument " + names_of(spec) + ": not allowed with argument " +
                       names_of(other));
    }

    static std::string checked(const OptionSpec& spec, const std::string& value) {
        if (spec.kind == ValueKind::kPath) {
            const bool safe = std::all_of(value.begin(), value.end(), [](char c) {
                return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                       std::string_view("_/.,-").find(c) != std::string_view::npos;
            });
            if (!safe)
                refuse("argument " + names_of(spec) + ": invalid safe_path_string value: '" +
                       value + "'");
        }
        if (!spec.words.empty() &&
            std::find(spec.words.begin(), spec.words.end(), value) == spec.words.end())
            refuse("argument " + names_of(spec) + ": invalid choice: '" + value + "'");
        if (spec.kind == ValueKind::kInteger || spec.kind == ValueKind::kIntegerList) {
            const char* first = value.data() + (value.starts_with('+') ? 1 : 0);
            const char* last = value.data() + value.size();
            int number = 0;
            const auto [end, failure] = std::from_chars(first, last, number);
            if (failure != std::errc{} || end != last)
                refuse("argument " + names_of(spec) + ": invalid int value: '" + value + "'");
            if (!spec.choices.empty() &&
                std::find(spec.choices.begin(), spec.choices.end(), number) == spec.choices.end())
                refuse("argument " + names_of(spec) + ": invalid choice: " + value);
            return std::to_string(number);
        }
        return value;
    }

    void check_required() const {
        std::string missing;
        for (const OptionSpec& spec : specs_)
            if (spec.required && !values_.contains(spec.key))
                missing += (missing.empty() ? "" : ", ") + names_of(spec);
        if (!missing.empty()) refuse("the following arguments are required: " + missing);
    }

    std::span<const OptionSpec> specs_;
    std::span<const std::string> arguments_;
    ParsedArguments values_;
};

std::string placeholder(const OptionSpec& spec) {
    if (spec.kind == ValueKind::kFlag) return {};
    std::string name = spec.key;
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
        return static_cast<char>(std::toupper(c));
    });
    return " " + name;
}

}  // namespace

OptionSpec& add_option(std::vector<OptionSpec>& specs,
                       std::vector<std::string> names,
                       std::string key,
                       ValueKind kind,
                       std::string help) {
    return specs.emplace_back(OptionSpec{
        .names = std::move(names), .key = std::move(key), .kind = kind, .help = std::move(help)});
}

ParsedArguments parse_arguments(std::span<const OptionSpec> specs,
                                std::span<const std::string> arguments) {
    return Parser(specs, arguments).run();
}

std::string usage_of(const std::string& program, std::span<const OptionSpec> specs) {
    std::string text = "usage: " + program + " [-h]";
    for (const OptionSpec& spec : specs) {
        const std::string one = spec.names.front() + placeholder(spec);
        text += spec.required ? " " + one : " [" + one + "]";
    }
    return text + "\n";
}

std::string help_of(const std::string& program,
                    const std::string& description,
                    std::span<const OptionSpec> specs) {
    std::string text = usage_of(program, specs) + "\n" + description + "\n\noptions:\n";
    for (const OptionSpec& spec : specs) {
        std::string names;
        for (const std::string& name : spec.names)
            names += (names.empty() ? "" : ", ") + name;
        text += "  " + names + placeholder(spec) + "\n        " + spec.help + "\n";
    }
    return text;
}

}  // namespace npuscope::msaccucmp
