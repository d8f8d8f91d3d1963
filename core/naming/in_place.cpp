#include "core/naming/in_place.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/naming/api_names.h"
#include "core/naming/by_position.h"
#include "core/naming/ir_name.h"

namespace npuscope {

namespace {

constexpr auto kInPlace = std::to_array<std::string_view>({
#define IN_PLACE(name) name,
#include "core/naming/in_place.def"
#undef IN_PLACE
});

/// An IR name with a mark of ops in place: "relu_", "mul__Tensor"; "__and___Tensor" is an operator.
bool is_in_place(std::string_view name) {
    return !name.starts_with("__") &&
           (name.ends_with('_') || name.find("__") != std::string_view::npos);
}

/// Some recorders call what an op in place gives out by its place among the results.
bool is_result_of_self(std::string_view input, std::string_view output) {
    constexpr std::string_view kSelf = "self";
    constexpr std::string_view kResult = "result";
    if (!input.starts_with(kSelf) || !output.starts_with(kResult)) return false;
    // "self/self_1" and "result/result_1".
    const auto number = [](std::string_view name) { return name.substr(name.rfind('_') + 1); };
    const bool is_one = input == kSelf && output == kResult;
    return is_one || (input.starts_with("self/") && output.starts_with("result/") &&
                      number(input) == number(output));
}

}  // namespace

bool calculates_in_place(std::string_view op) {
    constexpr std::string_view kOfLists = "_foreach_";
    const std::string name = ir_name(op);
    std::string_view rest = name;
    if (rest.starts_with(kOfLists)) rest.remove_prefix(kOfLists.size());
    return std::ranges::any_of(kInPlace, [&](std::string_view each) {
        return rest.starts_with(each) && (rest.size() == each.size() || rest[each.size()] == '_');
    });
}

bool writes_over(std::string_view op, std::string_view input, std::string_view output) {
    if (input != output) return is_result_of_self(input, output) && is_in_place(ir_name(op));
    const auto place = position_of_argument(input);
    if (!place) return true;
    const auto record = parse_api_record(op);
    if (!record || record->is_backward || *place != 0) return false;
    const std::string_view function = record->function();
    return without_in_place(function) != function || function.starts_with("__i");
}

}  // namespace npuscope
