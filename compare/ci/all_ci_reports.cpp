#include <array>

#include "compare/ci/ci_report.h"

namespace npuscope::compare {

std::span<const CiReport* const> all_ci_reports() {
    static constexpr auto kReports = std::to_array<const CiReport*>({
#define CI_REPORT(name) &k_##name##_ci_report,
#include "compare/ci/ci_reports.def"
#undef CI_REPORT
    });
    return kReports;
}

Gate gate_or_all(const Result& result) {
    return result.gate ? *result.gate : gate_of(result, nullptr, nullptr);
}

std::string_view gated_verdict(const Result& result) {
    if (!result.gate || result.gate->exit_code == result.exit_code())
        return overall_verdict(result);
    return result.gate->exit_code == 0   ? "pass"
           : result.gate->exit_code == 1 ? "fail"
                                         : "undecided";
}

}  // namespace npuscope::compare
