#include "core/base/parse_json.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace npuscope {

namespace {

/// Where brackets outside strings are nested too deeply, or the values become too many; npos where
/// neither is so.
struct Excess {
    size_t at = std::string_view::npos;
    bool is_depth = false;

    [[nodiscard]] bool found() const { return at != std::string_view::npos; }
};
Excess excess_of(std::string_view text, int max_depth) {
    int depth = 0;
    size_t values = 1;
    bool in_string = false;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_string && c == '\\')
            ++i;
        else if (c == '"')
            in_string = !in_string;
        else if (in_string)
            continue;
        else if (c == ']' || c == '}')
            --depth;
        else if (c == '[' || c == '{' || c == ',') {
            if (c != ',' && ++depth > max_depth) return {i, true};
            if (++values > kMostJsonValues) return {i, false};
        }
    }
    return {};
}

/// Pairs of keys and values, as colons outside strings tell.
size_t written_pairs(std::string_view text) {
    size_t pairs = 0;
    bool in_string = false;
    for (size_t i = 0; i < text.size(); ++i) {
        if (in_string && text[i] == '\\')
            ++i;
        else if (text[i] == '"')
            in_string = !in_string;
        else if (text[i] == ':' && !in_string)
            ++pairs;
    }
    return pairs;
}

template <class Json>
size_t kept_pairs(const Json& value) {
    size_t pairs = value.is_object() ? value.size() : 0;
    if (value.is_structured())
        for (const Json& each : value)
            pairs += kept_pairs(each);
    return pairs;
}

}  // namespace

template <class Json>
bool repeats_a_key(std::string_view text, const Json& parsed) {
    return written_pairs(text) != kept_pairs(parsed);
}

template bool repeats_a_key(std::string_view text, const nlohmann::json& parsed);

template <class Json>
Json parse_json(std::string_view text, int max_depth) {
    if (excess_of(text, max_depth).found()) return Json(Json::value_t::discarded);
    return Json::parse(text, nullptr, false);
}

template nlohmann::json parse_json(std::string_view text, int max_depth);
template nlohmann::ordered_json parse_json(std::string_view text, int max_depth);

namespace {

/// Without the library's own name of it, "[json.exception.parse_error.101] ".
std::string plain_reason(const nlohmann::json::exception& problem) {
    const std::string text = problem.what();
    const size_t end = text.find("] ");
    return text.starts_with("[json.exception.") && end != std::string::npos ? text.substr(end + 2)
                                                                            : text;
}

}  // namespace

JsonProblem json_problem(std::string_view text, int max_depth) {
    const Excess excess = excess_of(text, max_depth);
    if (excess.found())
        return {excess.is_depth ? "it is nested more than " + std::to_string(max_depth) + " deep"
                                : "it has more than " + std::to_string(kMostJsonValues) + " values",
                excess.at,
                excess.is_depth};
    try {
        const auto value = nlohmann::json::parse(text);
    } catch (const nlohmann::json::parse_error& problem) {
        return {plain_reason(problem), std::min(problem.byte, text.size()), false};
    } catch (const nlohmann::json::exception& problem) {  // a number that no double holds
        return {plain_reason(problem), 0, false};
    }
    return {};
}

}  // namespace npuscope
