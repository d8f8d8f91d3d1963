// How messages name what a file calls something.
#pragma once

#include <string>
#include <string_view>

#include "core/base/printable.h"

namespace npuscope::onnx_model {

[[nodiscard]] inline std::string in_quotes(std::string_view name) {
    return "'" + printable(name) + "'";
}

}  // namespace npuscope::onnx_model
