#include "compare/align/renames.h"

#include <algorithm>
#include <sstream>

#include "core/base/error.h"
#include "core/base/printable.h"

namespace npuscope::compare {

namespace {

/// Without blanks and quotes around it, and without what follows a '#'.
std::string plain(std::string text) {
    const size_t comment = text.find(" #");
    if (comment != std::string::npos) text.resize(comment);
    const auto is_around = [](char c) {
        return c == ' ' || c == '\t' || c == '\r' || c == '\'' || c == '"';
    };
    while (!text.empty() && is_around(text.back()))
        text.pop_back();
    const auto first = std::ranges::find_if_not(text, is_around);
    return {first, text.end()};
}

/// `name` with `from` in place of `to` where it stands between dots; empty where it does not.
std::string replaced_whole(const std::string& name,
                           const std::string& from,
                           const std::string& to) {
    const std::string dotted = "." + name + ".";
    const size_t at = dotted.find("." + from + ".");
    if (at == std::string::npos) return {};
    const std::string result = dotted.substr(0, at + 1) + to + dotted.substr(at + 1 + from.size());
    return result.substr(1, result.size() - 2);
}

}  // namespace

Renames::Renames(const std::string& text, const std::string& name) {
    std::istringstream lines(text);
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
        const std::string content = plain(line);
        if (content.empty() || content.front() == '#' || content == "---") continue;
        const bool is_index = content.front() == '-' && content.find(": ") == std::string::npos;
        if (is_index) continue;
        size_t colon = content.find(": ");
        if (colon == std::string::npos && content.back() == ':') colon = content.size() - 1;
        if (colon == std::string::npos || colon == 0)
            throw Error(ErrorKind::kFormat,
                        in_quotes(name) + " is no mapping: line " + std::to_string(number) +
                            " is no \"target: golden\"");
        std::string key = plain(content.substr(0, colon));
        if (key.starts_with("- ")) key = plain(key.substr(2));
        take(key, plain(content.substr(colon + 1)));
    }
    if (names_.empty() && tensors_.empty())
        throw Error(ErrorKind::kFormat, in_quotes(name) + " is no mapping: it names nothing");
}

void Renames::take(const std::string& key, const std::string& value) {
    if (key == "ms_api") {
        api_ = value;
    } else if (key == "pt_api") {
        if (!api_.empty()) names_.emplace_back(api_, value);
        api_.clear();
    } else if (value.empty() || key.starts_with("ms_") || key.starts_with("pt_")) {
        // The name of a layer whose parts follow, or of a list.
    } else if (key.find(".input.") != std::string::npos ||
               key.find(".output.") != std::string::npos ||
               key.find(".parameters_grad.") != std::string::npos) {
        tensors_.emplace_back(key, value);
    } else {
        names_.emplace_back(key, value);
    }
}

std::string Renames::of(const std::string& op) const {
    std::string name = op;
    if (!names_.empty() && name.starts_with("Cell.")) name = "Module." + name.substr(5);
    for (const auto& [from, to] : names_)
        if (from.find('.') != std::string::npos)
            if (std::string renamed = replaced_whole(name, from, to); !renamed.empty())
                return renamed;
    for (const auto& [from, to] : names_)
        if (const size_t at = name.find(from); at != std::string::npos)
            return name.substr(0, at) + to + name.substr(at + from.size());
    return name;
}

}  // namespace npuscope::compare
