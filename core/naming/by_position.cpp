#include "core/naming/by_position.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

namespace npuscope {

namespace {

constexpr auto kArguments =
    std::to_array<std::string_view>({"", "arg", "arg_", "args_", "input", "input_"});
constexpr auto kResults =
    std::to_array<std::string_view>({"", "result", "output", "output_", "out", "out_"});

std::optional<size_t> position_of(std::string_view name, std::span<const std::string_view> words) {
    const size_t last_letter = name.find_last_not_of("0123456789");
    const size_t begin = last_letter == std::string_view::npos ? 0 : last_letter + 1;
    const std::string_view digits = name.substr(begin);
    if (digits.empty() || std::ranges::find(words, name.substr(0, begin)) == words.end())
        return std::nullopt;
    size_t position = 0;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), position);
    if (parsed.ec != std::errc()) return std::nullopt;
    return position;
}

}  // namespace

std::optional<size_t> position_of_argument(std::string_view name) {
    return position_of(name, kArguments);
}

std::optional<size_t> position_of_result(std::string_view name) {
    return position_of(name, kResults);
}

}  // namespace npuscope
