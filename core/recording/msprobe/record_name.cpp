#include "core/recording/msprobe/record_name.h"

#include <cctype>
#include <charconv>

namespace npuscope::msprobe {

namespace {

bool is_pass(std::string_view text) {
    return text == "forward" || text == "backward" || text == "parameters_grad";
}

std::optional<int64_t> whole_number(std::string_view text) {
    int64_t number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool all = failure == std::errc() && end == text.data() + text.size();
    return all && number >= 0 ? std::optional(number) : std::nullopt;
}

}  // namespace

std::string RecordName::in_pass(std::string_view other) const {
    const std::string count = std::to_string(number);
    return std::string(base) + "." +
           (number_is_last ? std::string(other) + "." + count : count + "." + std::string(other));
}

std::optional<RecordName> parse_record_name(std::string_view name) {
    const size_t last = name.rfind('.');
    if (last == std::string_view::npos || last == 0) return std::nullopt;
    const size_t middle = name.rfind('.', last - 1);
    if (middle == std::string_view::npos || middle == 0) return std::nullopt;
    const std::string_view one = name.substr(middle + 1, last - middle - 1);
    const std::string_view other = name.substr(last + 1);
    const bool number_is_last = is_pass(one);
    if (!number_is_last && !is_pass(other)) return std::nullopt;
    const auto number = whole_number(number_is_last ? other : one);
    if (!number) return std::nullopt;
    return RecordName{.base = name.substr(0, middle),
                      .number = *number,
                      .pass = number_is_last ? one : other,
                      .number_is_last = number_is_last};
}

std::string part_of_name(std::string text) {
    for (char& each : text)
        if (std::isalnum(static_cast<unsigned char>(each)) == 0 && each != '_') each = '_';
    return text;
}

std::string OpRecordNames::next(const std::string& ir_name) {
    const std::string base = std::string(kOpPrefix) + "." + part_of_name(ir_name);
    return base + "." + std::to_string(runs_[base]++) + ".forward";
}

}  // namespace npuscope::msprobe
