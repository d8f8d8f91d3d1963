// Arguments that are elements of a list.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace npuscope {

/// "tensors1/tensors1_3": its list, and its place there. A view into the argument.
struct ListElement {
    std::string_view list;
    size_t index = 0;
};

/// Empty of other arguments.
[[nodiscard]] std::optional<ListElement> list_element(std::string_view argument);

}  // namespace npuscope
