#include "diagnose/judge/moved_elements.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <variant>
#include <vector>

#include "core/naming/casts.h"
#include "npu_backend/kernels/kernel.h"

namespace npuscope::diagnose {

bool moves(std::string_view launched) {
    const backend::Kernel* kernel = backend::find_kernel(launched);
    return kernel != nullptr && kernel->is_exact();
}

bool only_moves(const backend::Op& op) {
    return !op.launches.empty() && std::ranges::all_of(op.launches, moves);
}

namespace {

/// No program casts float16 to bfloat16.
bool takes_in_float16(const OpRun& run) {
    return std::ranges::any_of(run.arguments, [](const NamedValue& argument) {
        const auto* tensor = std::get_if<Tensor>(&argument.value);
        return tensor != nullptr && tensor->dtype() == DType::kFloat16;
    });
}

/// What a cast may have rounded to before its recorder stored the result as `stored`, which is
/// wider: the formats of 16 bits that all of it is in.
std::vector<NumberFormat> formats_of_cast(const OpRun& run,
                                          DType stored,
                                          std::span<const double> result) {
    std::vector<NumberFormat> formats;
    const std::string& name = run.op->name();
    if (!is_copy(name) || name.find("to") == std::string::npos ||
        format_of(stored).bits < kFloat32.bits || takes_in_float16(run))
        return formats;
    for (const NumberFormat& format : {kFloat16, kBFloat16})
        if (std::ranges::all_of(result, [&](double value) {
                return format.rounded(value) == value || std::isnan(value);
            }))
            formats.push_back(format);
    return formats;
}

}  // namespace

AllowedErrors allowed_of_moves(const OpRun& run,
                               const RecordedResult& result,
                               std::span<const double> exact,
                               const NumberFormat& results) {
    const JudgedElements judged(result, exact);
    const Tensor wide = judged.recorded().cast(DType::kFloat64);
    bool are_cut_off = true;
    for (size_t i = 0; are_cut_off && i < exact.size(); ++i)
        are_cut_off = !(std::abs(wide.as<double>()[i]) > std::abs(judged.expected()[i]));
    const bool casts = is_cast(run.op->name());
    std::vector<NumberFormat> formats =
        formats_of_cast(run, result.elements.dtype(), wide.as<double>());
    formats.push_back(format_of(result.elements.dtype()));
    formats.push_back(results);
    AllowedErrors limits(exact.size(), 0.0);
    for (const NumberFormat& format : formats)
        for (size_t i = 0; i < limits.size(); ++i) {
            const bool may_be_flushed = casts || format.lowest <= kFloat32.lowest;
            if (may_be_flushed && std::abs(exact[i]) < power_of_two(format.lowest))
                limits[i] = std::max(limits[i], std::abs(exact[i]));
            if (format.rounded(exact[i]) != exact[i])
                limits[i] = std::max(limits[i], format.half_unit(exact[i]) * (are_cut_off ? 2 : 1));
        }
    return limits;
}

}  // namespace npuscope::diagnose
