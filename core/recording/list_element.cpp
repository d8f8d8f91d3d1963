#include "core/recording/list_element.h"

#include <charconv>
#include <system_error>

namespace npuscope {

std::optional<ListElement> list_element(std::string_view argument) {
    const size_t slash = argument.find('/');
    if (slash == std::string_view::npos) return std::nullopt;
    ListElement element{argument.substr(0, slash)};
    const std::string_view number = argument.substr(argument.rfind('_') + 1);
    const char* end = number.data() + number.size();
    const auto [last, problem] = std::from_chars(number.data(), end, element.index);
    if (problem != std::errc() || last != end) return std::nullopt;
    return element;
}

}  // namespace npuscope
