#include "core/base/words.h"

#include <charconv>

namespace npuscope {

std::vector<std::string> fields_of(std::string_view text, char separator) {
    std::vector<std::string> fields;
    for (;;) {
        const size_t end = text.find(separator);
        fields.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos) return fields;
        text.remove_prefix(end + 1);
    }
}

std::string trimmed(std::string_view text) {
    constexpr const char* kBlank = " \t\n\r\f\v";
    const size_t first = text.find_first_not_of(kBlank);
    if (first == std::string_view::npos) return {};
    return std::string(text.substr(first, text.find_last_not_of(kBlank) - first + 1));
}

bool is_digits(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::optional<int64_t> natural(std::string_view text) {
    int64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (!is_digits(text) || failure != std::errc()) return std::nullopt;
    return value;
}

}  // namespace npuscope
