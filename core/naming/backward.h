// Ops of a backward pass.
#pragma once

#include <string_view>

namespace npuscope {

/// Whether an op is one of a backward pass, by its name: "convolution_backward".
[[nodiscard]] bool is_backward(std::string_view op);

}  // namespace npuscope
