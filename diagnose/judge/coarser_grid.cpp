#include "diagnose/judge/coarser_grid.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <set>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "diagnose/judge/exact_run.h"
#include "diagnose/judge/result_error.h"

namespace npuscope::diagnose {

namespace {

constexpr auto kGrids = std::to_array({DType::kBFloat16, DType::kFloat16});
/// Odds of 10^6 to one, as a natural logarithm.
constexpr double kLogOdds = 13.8;
constexpr double kFewestOnGrid = 3;
/// Of its half unit, that a number must be away from the grid: what comes nearer may be on it by an
/// honest error.
constexpr double kAway = 1.0 / 8;
/// Of the limit, that rounding to the grid may err by at least.
constexpr double kOfLimit = 1.0 / 64;

/// What the class leaves of a number, in the dtype that was recorded.
NumberFormat own_format(const ResultInLimit& within) {
    const NumberFormat recorded = format_of(within.of.result.elements.dtype());
    return within.of.results.bits < recorded.bits ? within.of.results : recorded;
}

/// Elements of a result beside what is expected of them.
struct Elements {
    Tensor recorded;  ///< float64
    std::span<const double> expected;
    std::span<const double> limit;
    NumberFormat own;

    /// Whether element `i` has more bits than the grid, unless it was rounded to that.
    [[nodiscard]] bool tells(size_t i, const NumberFormat& grid) const {
        const double kept = own.rounded(expected[i]);
        const double half = grid.half_unit(kept);
        const double away = std::abs(kept - grid.rounded(kept));
        return away > 0 && away >= kAway * half && half >= kOfLimit * limit[i];
    }
    /// So many different ones of those that tell; empty where some element is not of the grid.
    [[nodiscard]] std::optional<size_t> numbers_on(const NumberFormat& grid) const {
        const std::span<const double> values = recorded.as<double>();
        std::set<double> numbers;
        for (size_t i = 0; i < values.size(); ++i) {
            if (!std::isfinite(expected[i]) || grid.rounded(values[i]) != values[i])
                return std::nullopt;
            if (values[i] != 0 && tells(i, grid)) numbers.insert(std::abs(values[i]));
        }
        return numbers.size();
    }
    /// No chance, by as many bits as the grid has less.
    [[nodiscard]] bool are_on(const NumberFormat& grid) const {
        const auto numbers = static_cast<double>(numbers_on(grid).value_or(0));
        return numbers >= kFewestOnGrid &&
               numbers * (own.bits - grid.bits) * std::numbers::ln2 > kLogOdds;
    }
};

/// Sums that cancel leave few bits in any arithmetic.
bool are_runs_on(const ResultInLimit& within, Elements elements, const NumberFormat& grid) {
    const std::vector<Results> runs = within.runs_here(HonestRuns::kChips);
    return std::ranges::any_of(runs, [&](const Results& run) {
        const Tensor* own = expected_of(run, within.of.result);
        if (own == nullptr || !is_float(own->dtype())) return false;
        elements.recorded = own->cast(DType::kFloat64);
        return elements.are_on(grid);
    });
}

}  // namespace

std::optional<DType> coarser_grid(const ResultInLimit& within) {
    const NumberFormat own = own_format(within);
    if (own.bits <= kBFloat16.bits) return std::nullopt;
    const JudgedElements judged(within.of.result, within.exact);
    const Elements elements{
        judged.recorded().cast(DType::kFloat64), judged.expected(), within.limit, own};
    for (const DType dtype : kGrids) {
        const NumberFormat grid = format_of(dtype);
        if (grid.bits < elements.own.bits && elements.are_on(grid) &&
            !are_runs_on(within, elements, grid))
            return dtype;
    }
    return std::nullopt;
}

compare::Introduced coarser_error(const ResultInLimit& within, DType grid) {
    compare::Introduced error = error_held_to(within, within.limit);
    const int bits_lost = own_format(within).bits - format_of(grid).bits;
    error.ratio = std::max(error.ratio, std::ldexp(1.0, bits_lost));
    error.told =
        fmt::format("rounded to {0}: all elements are numbers of that, as of no other such result",
                    name_of(grid));
    return error;
}

}  // namespace npuscope::diagnose
