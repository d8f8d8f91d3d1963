// Gradients of a loss that one side multiplies by a scale.
#pragma once

#include "compare/compare.h"
#include "compare/relate/loss_multiple.h"

namespace npuscope::compare {

/// Whether that is Result::loss_scale, where there is one, but for rounding.
[[nodiscard]] bool is_loss_scale(const Result& result, double ratio);

/// Whether the tensor is as many times the golden's as Result::loss_scale says.
[[nodiscard]] bool has_loss_scale(const Result& result, const TensorResult& tensor);

/// Of results alone, where most gradients, the first one among them, are as many times the
/// golden's, by a power of two of 128 and more either way: sets Result::loss_scale and adds a note.
void take_scale_of_gradients(Result& result);

/// Whether the tensor is nearer to that than to the golden's, however far off it is.
[[nodiscard]] bool is_nearer_by_loss_scale(const Result& result, const TensorResult& tensor);

/// What is left of the sums of a tensor that is so when the loss's scale is divided out.
[[nodiscard]] Sums without_loss_scale(const Result& result, const TensorResult& tensor);

}  // namespace npuscope::compare
