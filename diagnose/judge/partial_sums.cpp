// Sums of 16-bit operands, which some libraries round in parts, or at each step.
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

/// Of a matrix product, or several: each product and each sum rounded to the format, in the order
/// of K, as PyTorch makes small ones of 16 bits on a CPU; to the bit.
bool is_rounded_at_each_step(const OpRun& run,
                             const RecordedResult& result,
                             const NumberFormat& format) {
    constexpr int64_t kMostSteps = int64_t{1} << 20;
    const Tensor* a = tensor_named(run.wide, "self");
    const Tensor* b = tensor_named(run.wide, "mat2");
    if (a == nullptr || b == nullptr || tensor_named(run.wide, "mat1") != nullptr ||
        a->ndim() < 2 || a->ndim() != b->ndim() || a->dtype() != DType::kFloat64 ||
        b->dtype() != DType::kFloat64)
        return false;
    const int64_t rows = a->dim(a->ndim() - 2);
    const int64_t length = a->dim(a->ndim() - 1);
    const int64_t columns = b->dim(b->ndim() - 1);
    const int64_t numel = result.elements.numel();
    if (numel == 0 || numel % (rows * columns) != 0 || numel * length > kMostSteps) return false;
    const Tensor wide = result.elements.cast(DType::kFloat64);
    const auto at = [](const Tensor* tensor, int64_t index) {
        return tensor->as<double>()[static_cast<size_t>(index)];
    };
    for (int64_t i = 0; i < numel; ++i) {
        const int64_t row = i / columns;
        const int64_t first = row / rows * length * columns + i % columns;
        double sum = 0;
        for (int64_t k = 0; k < length; ++k)
            sum = format.rounded(
                sum + format.rounded(at(a, row * length + k) * at(b, first + k * columns)));
        if (sum != at(&wide, i)) return false;
    }
    return true;
}

}  // namespace

std::optional<compare::Introduced> ProductError::judge_in_parts(const ProductClass& by,
                                                                const RecordedResult& result) {
    const auto length = static_cast<double>(contraction_length(run_, result.name));
    const std::optional<NumberFormat> format = narrow_format(run_);
    if (format && is_of_16_bits(result.elements.dtype()) &&
        is_rounded_at_each_step(run_, result, *format)) {
        auto error = judge(by, result, false);
        if (error) {
            error->ratio = std::min(error->ratio, 1.0);
            error->over = 0;
        }
        return error;
    }
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
