// Names of arguments by their place.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace npuscope {

/// 1 of "1", "arg1", "arg_1", "args_1", "input1", "input_1", and of results "result1", "output1",
/// "output_1", "out1", "out_1"; empty of other names.
[[nodiscard]] std::optional<size_t> position_of_argument(std::string_view name);
[[nodiscard]] std::optional<size_t> position_of_result(std::string_view name);

}  // namespace npuscope
