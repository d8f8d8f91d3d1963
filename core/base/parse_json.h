// JSON text that somebody else wrote: a file, a dump's facts, another process.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace npuscope {

/// Copying, printing and comparing a JSON value recurse, so that deeper ones could end the process.
inline constexpr int kDeepestJson = 100;

/// Values take 16 bytes to some 100 of memory and 2 of text: so many are read, which are those of
/// two million msprobe records.
inline constexpr size_t kMostJsonValues = size_t{1} << 25;

/// The value of `text`, discarded (is_discarded()) when it is no JSON, nested more than `max_depth`
/// deep or has more than kMostJsonValues. Json: nlohmann::json or nlohmann::ordered_json, whose
/// header the caller has. Errors: none.
template <class Json>
[[nodiscard]] Json parse_json(std::string_view text, int max_depth = kDeepestJson);

/// Whether an object of a text that parses has a key twice: a reader keeps one of the two values.
template <class Json>
[[nodiscard]] bool repeats_a_key(std::string_view text, const Json& parsed);

/// Why parse_json() discards a text.
struct JsonProblem {
    std::string reason;  ///< "" when there is none
    size_t byte = 0;     ///< how far the text was read
    bool is_too_deep = false;
};
[[nodiscard]] JsonProblem json_problem(std::string_view text, int max_depth = kDeepestJson);

}  // namespace npuscope
