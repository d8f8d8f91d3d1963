// The operands of a product as a class of arithmetic takes them.
#pragma once

#include <cstdint>
#include <string>

#include "diagnose/judge/arithmetic.h"
#include "diagnose/judge/op_run.h"

namespace npuscope::diagnose {

/// Which operands a class rounds.
enum class Rounded : uint8_t {
    kOperands,
    kScaled,  ///< the first times alpha, and the others: PyTorch's adapter multiplies before the
              ///< product
    kBiasToo,
    kNothing
};

/// Whether an operand times the run's alpha rounds otherwise than the operand.
[[nodiscard]] bool rounds_otherwise_scaled(const OpRun& run);

/// Whether it is added to the product.
[[nodiscard]] bool is_bias(const backend::Op& op, const std::string& argument);

/// Whether operands can be rounded here as the class does it; else the error of that is bounded.
[[nodiscard]] bool is_emulated(const ProductClass& by);

/// The largest finite magnitude; 0 without one.
[[nodiscard]] double largest_finite(const Tensor& tensor);
/// That of an operand; of a part that of the whole one.
[[nodiscard]] double largest_of(const OpRun& run, const std::string& operand);

/// All arguments of the run, in float64, its operands rounded where that is emulated.
[[nodiscard]] NamedValues rounded_operands(const OpRun& run, const ProductClass& by, Rounded which);

}  // namespace npuscope::diagnose
