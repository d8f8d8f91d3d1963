// An op's results in float64 on given arguments: f of the recorded inputs, of their magnitudes, of
// inputs that are rounded or disturbed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/ir/value.h"
#include "npu_backend/executor.h"
#include "npu_backend/ops/op.h"

namespace npuscope::diagnose {

/// Changes an element of the tensor argument `name`.
using ElementChange = std::function<void(const std::string& name, std::span<double> elements)>;

/// Float tensors as float64 (in place of a dtype that they should be cast to as well), and numbers
/// as they are.
[[nodiscard]] NamedValues widened(const NamedValues& arguments);

/// The same with every float tensor's elements changed.
[[nodiscard]] NamedValues changed(NamedValues widened, const ElementChange& change);

/// Of every tensor in float64 or float32, and of numbers such as alpha: the magnitudes.
[[nodiscard]] NamedValues magnitudes(NamedValues values);

/// Empty where the op does not take these arguments. Errors: Error of other kinds.
[[nodiscard]] std::optional<Results> run(const backend::Op& op,
                                         const NamedValues& arguments,
                                         const Device& device,
                                         std::string* why_not = nullptr);

}  // namespace npuscope::diagnose
