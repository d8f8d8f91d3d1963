// One result that was computed again, against what a dump recorded of it.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "compare/compare.h"

namespace npuscope::diagnose {

/// What a result is called.
struct ResultName {
    std::string name{};  ///< of the argument
    std::string path{};  ///< in a recording; "" where it is in none
};

/// `computed` (nullptr: the op gives no such result) as the target, what was recorded as the
/// golden, held to the coarser of `compute_type` and the dtype that the result was rounded to.
/// `magnitudes` is asked when the result exceeds its bound; as compare::Bounds::sum_of_magnitudes.
/// `bounds` are asked by the tensor's path, or by its name where that is "".
[[nodiscard]] compare::TensorResult judge_result(
    const Tensor* computed,
    const Tensor& recorded,
    const ResultName& name,
    ComputeType compute_type,
    const std::function<double()>& magnitudes = {},
    const compare::Bounds& bounds = compare::PrecisionBounds{});

/// "pass", "fail" or "incomparable"; what proves little passes.
[[nodiscard]] std::string_view word_of(const compare::Judgement& judgement);

/// What it was held to: the bound's source; why it is incomparable.
[[nodiscard]] const std::string& held_to(const compare::Judgement& judgement);

}  // namespace npuscope::diagnose
