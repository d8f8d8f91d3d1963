// The few IR ops that shape arithmetic needs, evaluated on the host: unnumbered and unseen.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/ir/value.h"

namespace npuscope::onnx_model {

/// The op's results, or nothing when this op is not one of the few. Integers are computed in int64
/// (wrapping), floats in float64 and rounded once to their dtype.
/// Errors: Error(kFormat) shapes that do not fit, a division by zero, results above 2^26 elements.
[[nodiscard]] std::optional<std::vector<Tensor>> evaluate_on_host(std::string_view ir_name,
                                                                  const NamedValues& arguments);

/// Errors: Error(kFormat) above 2^26 elements, which no shape arithmetic needs.
void require_host_size(const Shape& shape);

/// The shape that both broadcast to. Errors: Error(kFormat).
[[nodiscard]] Shape broadcast(const Shape& a, const Shape& b);

}  // namespace npuscope::onnx_model
