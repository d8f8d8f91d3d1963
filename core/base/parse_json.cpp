#include "core/base/parse_json.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace npuscope {

namespace {

/// Where brackets outside strings are nested too deeply; npos where they are not.
size_t too_deep_at(std::string_view text, int max_depth) {
    int depth = 0;
    bool in_string = false;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_string && c == '\\')
            ++i;
        else if (c == '"')
            in_string = !in_string;
        else if (in_string)
            continue;
        else if ((c == '[' || c == '{') && ++depth > max_depth)
            return i;
        else if (c == ']' || c == '}')
            --depth;
    }
    return std::string_view::npos;
}

}  // namespace

template <class Json>
Json parse_json(std::string_view text, int max_depth) {
    if (too_deep_at(text, max_depth) != std::string_view::npos)
        return Json(Json::value_t::discarded);
    return Json::parse(text, nullptr, false);
}

template nlohmann::json parse_json(std::string_view text, int max_depth);
template nlohmann::ordered_json parse_json(std::string_view text, int max_depth);

JsonProblem json_problem(std::string_view text, int max_depth) {
    const size_t deep = too_deep_at(text, max_depth);
    if (deep != std::string_view::npos)
        return {"it is nested more than " + std::to_string(max_depth) + " deep", deep, true};
    try {
        const auto value = nlohmann::json::parse(text);
    } catch (const nlohmann::json::parse_error& problem) {
        return {problem.what(), std::min(problem.byte, text.size()), false};
    } catch (const nlohmann::json::exception& problem) {  // a number that no double holds
        return {problem.what(), 0, false};
    }
    return {};
}

}  // namespace npuscope
