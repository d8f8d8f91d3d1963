#include "core/naming/api_names.h"

#include <algorithm>
#include <array>

#include "core/naming/by_position.h"

namespace npuscope {

namespace {

constexpr auto kApiNames = std::to_array<ApiName>({
#define API(api, op, arguments, defaults) {api, op, arguments, defaults},
#include "core/naming/api_names.def"
#undef API
});

constexpr std::array<std::string_view, 10> kModules = {"Functional",
                                                       "Tensor",
                                                       "Torch",
                                                       "Aten",
                                                       "NPU",
                                                       "VF",
                                                       "Mint",
                                                       "MintFunctional",
                                                       "Primitive",
                                                       "MindSpeed"};

const ApiName* row_of(std::string_view module, std::string_view function) {
    const auto found = std::ranges::find_if(kApiNames, [&](const ApiName& row) {
        const size_t dot = row.api.find('.');
        const std::string_view of = row.api.substr(0, dot);
        return (of == "*" || of == module) && row.api.substr(dot + 1) == function;
    });
    return found == kApiNames.end() ? nullptr : &*found;
}

}  // namespace

std::optional<ApiRecord> parse_api_record(std::string_view name) {
    name.remove_prefix(name.rfind('/') + 1);
    const size_t last = name.rfind('.');
    if (last == std::string_view::npos) return std::nullopt;
    const std::string_view way = name.substr(last + 1);
    if (way != "forward" && way != "backward") return std::nullopt;
    const std::string_view run = name.substr(0, last);
    const size_t before = run.rfind('.');
    if (before == std::string_view::npos || before + 1 == run.size()) return std::nullopt;
    const std::string_view number = run.substr(before + 1);
    if (number.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
    ApiRecord record{run.substr(0, before), run, way == "backward"};
    if (record.api.find('.') == std::string_view::npos ||
        std::ranges::find(kModules, record.module()) == kModules.end())
        return std::nullopt;
    return record;
}

std::span<const ApiName> all_api_names() {
    return kApiNames;
}

std::string_view without_in_place(std::string_view function) {
    if (function.ends_with("_") && !function.ends_with("__")) function.remove_suffix(1);
    return function;
}

std::string plain_api(std::string_view api) {
    const size_t dot = api.find('.');
    if (dot == std::string_view::npos) return std::string(api);
    const std::string_view module = api.substr(0, dot);
    std::string_view function = api.substr(dot + 1);
    if (module == "Primitive") return "Primitive." + std::string(api.substr(api.rfind('.') + 1));
    if (module != "Mint" && module != "MintFunctional") return std::string(api);
    if (function.ends_with("_ex")) function.remove_suffix(3);
    return (module == "Mint" ? "Torch." : "Functional.") + std::string(function);
}

const ApiName* find_api_name(std::string_view api) {
    const std::string plain = plain_api(api);
    const size_t dot = plain.find('.');
    if (dot == std::string::npos) return nullptr;
    const std::string_view module = std::string_view(plain).substr(0, dot);
    const std::string_view function = std::string_view(plain).substr(dot + 1);
    if (const ApiName* row = row_of(module, function)) return row;
    return row_of(module, without_in_place(function));
}

std::string_view argument_in_place(std::string_view record, std::string_view place) {
    const auto position = position_of_argument(place);
    const auto name = parse_api_record(record);
    if (!position || !name || name->is_backward) return "";
    const ApiName* row = find_api_name(plain_api(name->api));
    if (row == nullptr) return "";
    std::string_view rest = row->arguments;
    for (size_t i = 0; !rest.empty(); ++i) {
        const std::string_view word = rest.substr(0, rest.find(' '));
        if (i == *position)
            return word.substr(word.starts_with('!') ? 1 : 0).substr(0, word.find('='));
        rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    }
    return "";
}

}  // namespace npuscope
