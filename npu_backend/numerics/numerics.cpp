#include "npu_backend/numerics/numerics.h"

#include <string>

namespace npuscope::backend {

bool high_precision(const Numerics& numerics, std::string_view type, bool precise_by_default) {
    if (numerics.reference()) return true;
    const ChipOptions& options = numerics.device.options;
    const std::string list = "," + options.op_impl_types + ",";
    const bool meant = options.op_impl_types.empty() ||
                       list.find("," + std::string(type) + ",") != std::string::npos;
    if (!meant) return precise_by_default;
    switch (options.op_impl_mode) {
        case ImplMode::kHighPrecision:
        case ImplMode::kHighPrecisionForAll:
            return true;
        case ImplMode::kHighPerformance:
            // A list names its ops outright.
            return options.op_impl_types.empty() && precise_by_default;
        case ImplMode::kHighPerformanceForAll:
            return false;
    }
    __builtin_unreachable();
}

}  // namespace npuscope::backend
