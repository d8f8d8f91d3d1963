#include "diagnose/judge/off_among_exact.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <fmt/format.h>

#include "diagnose/judge/result_error.h"
#include "npu_backend/numerics/rounding.h"

namespace npuscope::diagnose {

namespace {

/// Half units: what a value that is rounded once is off by, where it tells that it was rounded, and
/// what stands out.
constexpr double kOfOneRounding = 1.01;
constexpr double kLeastTelling = 0.05;
constexpr double kStandsOut = 3;
/// In shares of the limit, beside all that is rounded correctly.
constexpr double kTimesExact = 4;
constexpr size_t kFewestTelling = 64;
constexpr double kMostStandingOut = 0.02;
/// The reference here is off by so much less.
constexpr double kReferenceNearer = 3;

/// The elements of a result that were rounded correctly, and the few that were not.
struct Rounded {
    size_t telling = 0;
    double largest_share = 0;   ///< of what is rounded correctly
    std::vector<size_t> off{};  ///< elements
    bool is_exact = true;       ///< none is off by more than a rounding and by less than stands out
};

Rounded rounded_of(const ResultInLimit& within, const std::vector<double>& shares) {
    const NumberFormat format = format_of(within.of.result.elements.dtype());
    Rounded found;
    for (size_t i = 0; i < shares.size(); ++i) {
        const double half = half_unit(format, within.of.results, within.exact[i]);
        const double error = std::abs(shares[i]) * within.limit[i];
        if (error <= kOfOneRounding * half) {
            found.telling += error >= kLeastTelling * half ? 1 : 0;
            found.largest_share = std::max(found.largest_share, std::abs(shares[i]));
        } else if (error > kStandsOut * half) {
            found.off.push_back(i);
        } else {
            found.is_exact = false;
        }
    }
    return found;
}

}  // namespace

std::optional<compare::Introduced> off_among_exact_error(const ResultInLimit& within) {
    const auto& [run, of, exact, limit, runs_here] = within;
    if (!backend::all_finite(of.result.elements)) return std::nullopt;
    const std::vector<double> shares = element_shares(of.result, exact, limit);
    Rounded found = rounded_of(within, shares);
    const double least = kTimesExact * found.largest_share;
    const auto telling = static_cast<double>(found.telling);
    if (!found.is_exact || found.off.empty() || found.telling < kFewestTelling ||
        static_cast<double>(found.off.size()) > kMostStandingOut * telling ||
        std::ranges::any_of(found.off, [&](size_t i) { return std::abs(shares[i]) <= least; }))
        return std::nullopt;
    for (const Results& own : runs_here(HonestRuns::kReference)) {
        const auto here = element_shares_of_own(of, own, exact, limit);
        if (!here) return std::nullopt;
        std::erase_if(found.off, [&](size_t i) {
            return std::abs((*here)[i]) * kReferenceNearer > std::abs(shares[i]);
        });
    }
    if (found.off.empty()) return std::nullopt;
    AllowedErrors allowed(limit.begin(), limit.end());
    for (const size_t i : found.off)
        allowed[i] *= std::min(1.0, least);
    compare::Introduced error = error_held_to(within, allowed);
    error.told = fmt::format("{} element{} off, and all others are rounded correctly",
                             found.off.size(),
                             found.off.size() == 1 ? " is" : "s are");
    error.formula = "what correct rounding leaves";
    return error;
}

}  // namespace npuscope::diagnose
