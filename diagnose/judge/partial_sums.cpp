// Long sums of 16-bit operands, which some libraries round in parts.
#include <algorithm>
#include <cmath>

#include "diagnose/judge/product_error.h"

namespace npuscope::diagnose {

namespace {

/// Longer sums may be computed in parts, by matrix units or in plain loops that round each step.
/// Recorded bf16 and fp16 products of an H100 are off by up to 2 units of what sqrt(K) of their
/// products make, those of an H200 from K = 10 on.
constexpr double kOneStep = 7;
constexpr double kParts = 4;

/// Of 16 bits that the operands are in; empty of others.
std::optional<NumberFormat> narrow_format(const OpRun& run) {
    std::optional<NumberFormat> format;
    for (const NamedValue& argument : run.arguments)
        if (const auto* tensor = std::get_if<Tensor>(&argument.value)) {
            if (tensor->dtype() == DType::kFloat32 || tensor->dtype() == DType::kFloat64)
                return std::nullopt;
            if (is_float(tensor->dtype())) format = format_of(tensor->dtype());
        }
    return format;
}

}  // namespace

std::optional<compare::Introduced> ProductError::judge_in_parts(const ProductClass& by,
                                                                const RecordedResult& result) {
    const auto length = static_cast<double>(contraction_length(run_, result.name));
    const std::optional<NumberFormat> format = narrow_format(run_);
    if (!format || length <= kOneStep) return std::nullopt;
    const Bound* found = bound(by, Rounded::kOperands, result);
    const Results* sizes = magnitude(0, 0, false);
    if (found == nullptr || sizes == nullptr) return std::nullopt;
    const std::span<const double> size = expected_of(*sizes, result)->as<double>();
    AllowedErrors limit = found->limit;
    for (size_t i = 0; i < limit.size(); ++i)
        limit[i] += kParts * format->unit() * size[i] / std::sqrt(length);
    return measure_error(result, found->exact, by.results, limit);
}

}  // namespace npuscope::diagnose
