#include "diagnose/judge/moved_elements.h"

#include <algorithm>
#include <cmath>

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

AllowedErrors allowed_of_moves(const backend::Op& op,
                               const RecordedResult& result,
                               std::span<const double> exact,
                               const NumberFormat& results) {
    const JudgedElements judged(result, exact);
    const Tensor wide = judged.recorded().cast(DType::kFloat64);
    bool are_cut_off = true;
    for (size_t i = 0; are_cut_off && i < exact.size(); ++i)
        are_cut_off = !(std::abs(wide.as<double>()[i]) > std::abs(judged.expected()[i]));
    const bool casts = is_cast(op.name());
    AllowedErrors limits(exact.size());
    for (const NumberFormat& format : {format_of(result.elements.dtype()), results})
        for (size_t i = 0; i < limits.size(); ++i) {
            if (casts && std::abs(exact[i]) < power_of_two(format.lowest))
                limits[i] = std::max(limits[i], std::abs(exact[i]));
            if (format.rounded(exact[i]) != exact[i])
                limits[i] = std::max(limits[i], format.half_unit(exact[i]) * (are_cut_off ? 2 : 1));
        }
    return limits;
}

}  // namespace npuscope::diagnose
