#include "diagnose/judge/misfit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <variant>

#include <fmt/format.h>

#include "core/ir/real_number.h"
#include "diagnose/judge/exact_run.h"
#include "diagnose/judge/hidden_terms.h"
#include "diagnose/judge/norm_terms.h"
#include "diagnose/judge/product_error.h"
#include "diagnose/judge/result_error.h"
#include "diagnose/judge/vector_error.h"

namespace npuscope::diagnose {

namespace {

/// Squares of errors before and after the fit.
constexpr double kLess = 1.5;
constexpr double kLogOdds = 10;
constexpr double kFewestElements = 8;
/// Of the unit of the steps or the result: so much may be the same error of all elements, a number
/// or a statistic that was rounded.
constexpr double kRoundings = 2.5;
/// Of squares that rounding each result once leaves: with no more left, what is fitted was computed
/// in wider steps, and one number of it may be rounded at most.
constexpr double kOfRounding = 1.5;
constexpr double kRoundedOnce = 1.25;
/// Of a norm's gradient, which is a plain sum.
constexpr std::string_view kGradientOfBias = "result2";
/// Of what runs here show.
constexpr double kOfHere = 3;
/// Of a number, by which its derivative is taken.
constexpr double kStep = 1.0 / 1024;
/// Of a number that is rounded before anything is computed with it.
constexpr double kOfRounded = 3;

/// Of the smallest number that is normal.
constexpr double kOfSubnormal = 2;

/// Of functions in 16 bits, which are nearer than kFunction, and of divisions.
constexpr double kOfNarrowFunctions = 2;
constexpr double kOfDivisions = 2;

/// Numbers by which an operand is multiplied, or not at all where they are 1.
constexpr auto kMultipliers = std::to_array<std::string_view>({"alpha", "beta"});

/// Numbers that may be recorded as integers.
constexpr auto kNumbers = std::to_array<std::string_view>({"alpha", "beta", "other", "value"});

/// By how much, of itself, a number is another, and what is left of the errors' squares then.
struct Fit {
    double change = 0;
    double before = 0;
    double after = 0;
    /// As many elements of one size would tell as much.
    double elements = 0;

    [[nodiscard]] bool is_no_chance() const {
        return elements >= kFewestElements && before > kLess * after &&
               (after == 0 || (elements - 1) / 2 * std::log(before / after) > kLogOdds);
    }
};

double elements_in(std::span<const double> values) {
    double squares = 0;
    double fourths = 0;
    for (const double value : values) {
        squares += value * value;
        fourths += value * value * value * value;
    }
    return fourths > 0 ? squares * squares / fourths : 0;
}

double root_of_squares(std::span<const double> values) {
    double squares = 0;
    for (const double value : values)
        squares += value * value;
    return std::sqrt(squares);
}

Fit fit(std::span<const double> errors, std::span<const double> direction) {
    double along = 0;
    double squares = 0;
    Fit found;
    for (size_t i = 0; i < errors.size(); ++i) {
        along += errors[i] * direction[i];
        squares += direction[i] * direction[i];
        found.before += errors[i] * errors[i];
    }
    if (squares == 0 || !std::isfinite(squares) || !std::isfinite(along)) return found;
    found.change = along / squares;
    for (size_t i = 0; i < errors.size(); ++i)
        found.after += std::pow(errors[i] - found.change * direction[i], 2);
    found.elements = std::min(elements_in(errors), elements_in(direction));
    return found;
}

/// What the elements change by, as shares of the limit, when a number changes by itself.
struct Direction {
    std::string name;  ///< "" of a factor of all elements
    double number = 1;
    std::vector<double> shares;
};

double share_of(double value, double limit) {
    const double share = value / limit;
    return std::isfinite(share) ? share : 0;
}

bool is_number(const NamedValue& argument) {
    const std::optional<double> number = real_of(argument.value);
    if (!number || *number == 0 || !std::isfinite(*number)) return false;
    const auto* scalar = std::get_if<Scalar>(&argument.value);
    return scalar == nullptr || std::holds_alternative<double>(scalar->number) ||
           std::ranges::find(kNumbers, argument.name) != kNumbers.end();
}

/// What processors that know no subnormal numbers may have set to 0 says nothing.
void leave_out_subnormal(const ResultInLimit& within, std::vector<double>& shares) {
    const double least =
        kOfSubnormal * format_of(within.of.result.elements.dtype()).lost_near_zero();
    for (size_t i = 0; i < shares.size(); ++i)
        if (std::abs(within.exact[i]) < least) shares[i] = 0;
}

/// A factor of all elements first.
std::vector<Direction> directions_of(const ResultInLimit& within) {
    std::vector<Direction> found;
    Direction factor;
    for (size_t i = 0; i < within.exact.size(); ++i)
        factor.shares.push_back(share_of(within.exact[i], within.limit[i]));
    leave_out_subnormal(within, factor.shares);
    found.push_back(std::move(factor));
    for (size_t at = 0; at < within.run.wide.size(); ++at) {
        const NamedValue& argument = within.run.wide[at];
        if (!is_number(argument)) continue;
        const double number = *real_of(argument.value);
        NamedValues moved = within.run.wide;
        moved[at].value = number * (1 + kStep);
        const auto results = run(*within.run.op, moved, Device::reference64());
        const Tensor* y = results ? expected_of(*results, within.of.result) : nullptr;
        if (y == nullptr || y->dtype() != DType::kFloat64) continue;
        Direction direction{.name = argument.name, .number = number, .shares = {}};
        const std::span<const double> values = y->as<double>();
        for (size_t i = 0; i < values.size(); ++i)
            direction.shares.push_back(
                share_of((values[i] - within.exact[i]) / kStep, within.limit[i]));
        leave_out_subnormal(within, direction.shares);
        found.push_back(std::move(direction));
    }
    return found;
}

/// That an honest number may be off by, of itself.
double rounded_off(const ResultInLimit& within, double number) {
    double most = 0;
    for (const NumberFormat& format :
         {within.of.steps, within.of.results, format_of(within.of.result.elements.dtype())})
        most = std::max(most, std::abs(format.rounded(number) - number));
    return most / std::abs(number);
}

/// What all elements may be off by alike, of themselves: matrix units round toward zero each time
/// they add a few products, and functions of libraries are off to one side.
double leaning_inside(const ResultInLimit& within) {
    const double unit = within.of.steps.unit();
    if (is_product(kind_of(*within.run.op)))
        return unit * static_cast<double>(contraction_length(within.run, within.of.result.name));
    if (is_rounded_once(*within.run.op)) return 0;
    if (within.run.op->name().starts_with("div")) return unit * kOfDivisions;
    return unit * (within.of.steps.bits < kFloat32.bits ? kOfNarrowFunctions : kFunction);
}

/// What rounding alone makes of the results' squares, as shares of the limit.
double squares_of_rounding(const ResultInLimit& within) {
    const NumberFormat recorded = format_of(within.of.result.elements.dtype());
    double squares = 0;
    for (size_t i = 0; i < within.exact.size(); ++i) {
        const double half = half_unit(recorded, within.of.results, within.exact[i]);
        squares += std::pow(share_of(half, within.limit[i]), 2) / 3;
    }
    return squares;
}

/// Once, to the recorded format or that of the class's results.
bool leaves_one_rounding(const ResultInLimit& within, const Fit& fit) {
    return fit.after <= kOfRounding * squares_of_rounding(within);
}

/// Of a result beyond its limit, which parts of sums that were rounded explain as well, a fit has
/// to leave no more than that.
bool is_clear(const ResultInLimit& within, const Fit& fit) {
    return leaves_one_rounding(within, fit) || is_within(within);
}

/// That all elements may be off by alike, of themselves, since something was rounded that they
/// have in common.
double rounded_alike(const ResultInLimit& within, const Fit& fit) {
    const double steps = within.of.steps.unit();
    const double widest = std::max(
        {steps, within.of.results.unit(), format_of(within.of.result.elements.dtype()).unit()});
    if (!leaves_one_rounding(within, fit)) return kRoundings * widest;
    // Products have no more in common than their numbers.
    if (is_product(kind_of(*within.run.op))) return kRoundings * steps;
    return std::max(kRoundings * steps, kRoundedOnce * widest);
}

/// A sum has no number or statistic that all its elements are multiplied by.
bool is_sum(const ResultInLimit& within) {
    return within.run.op->row->sum == within.of.result.name ||
           (is_gradient_of_norm(*within.run.op) && within.of.result.name == kGradientOfBias);
}

/// Whether errors go by the number, and not as something that all elements have in common makes
/// them: a number that multiplies and that every format holds, or one whose fit leaves so much less
/// than a factor of all elements.
bool goes_by_number(const ResultInLimit& within,
                    const Direction& direction,
                    const Fit& fit,
                    const Fit& of_factor) {
    if (direction.name.empty()) return false;
    // A bias may be rounded before it is added to a product.
    if (!is_product(kind_of(*within.run.op)) &&
        std::ranges::find(kMultipliers, direction.name) != kMultipliers.end() &&
        rounded_off(within, direction.number) == 0)
        return true;
    return fit.after > 0 &&
           (fit.elements - 1) / 2 * std::log(of_factor.after / fit.after) > kLogOdds;
}

/// That all elements may be off by alike, of themselves.
double alike_at_most(const ResultInLimit& within,
                     const Direction& direction,
                     const Fit& fit,
                     const Fit& of_factor) {
    const bool is_plain_sum =
        direction.name.empty() && is_sum(within) && leaves_one_rounding(within, fit);
    if (is_plain_sum || goes_by_number(within, direction, fit, of_factor))
        return kRoundedOnce * std::max(within.of.steps.unit(), within.of.results.unit());
    return rounded_alike(within, fit) + leaning_inside(within);
}

/// `factor` is that of all elements.
bool is_beyond_rounding(const ResultInLimit& within,
                        const Direction& factor,
                        const Direction& direction,
                        const Fit& fit,
                        const Fit& of_factor) {
    // All that the results are may be what is left of larger terms.
    const auto is_lost = [](double share) { return std::abs(share) <= 1; };
    if (direction.name.empty() && std::ranges::all_of(direction.shares, is_lost)) return false;
    if (!direction.name.empty() &&
        std::abs(fit.change) <= kOfRounded * rounded_off(within, direction.number))
        return false;
    return std::abs(fit.change) * root_of_squares(direction.shares) >
           alike_at_most(within, direction, fit, of_factor) * root_of_squares(factor.shares);
}

bool is_beyond_runs_here(const ResultInLimit& within, const Direction& direction, const Fit& fit) {
    for (const Results& own : within.runs_here(HonestRuns::kChips)) {
        const auto errors = element_shares_of_own(within.of, own, within.exact, within.limit);
        if (errors && std::abs(diagnose::fit(*errors, direction.shares).change) * kOfHere >
                          std::abs(fit.change))
            return false;
    }
    return true;
}

std::string told_of(const Direction& direction, const Fit& fit) {
    if (direction.name.empty())
        return fmt::format("all elements are 1 {} {:.2g} times what they should be",
                           fit.change < 0 ? '-' : '+',
                           std::abs(fit.change));
    // So many digits that they differ.
    const int digits =
        std::max(4, 1 + static_cast<int>(std::ceil(-std::log10(std::abs(fit.change)))));
    return fmt::format("computed as if {0} were {1:.{3}g}, not {2:.{3}g}",
                       direction.name,
                       direction.number * (1 + fit.change),
                       direction.number,
                       digits);
}

}  // namespace

std::optional<compare::Introduced> misfit_error(const ResultInLimit& within) {
    if (within.of.result.elements.numel() < static_cast<int64_t>(kFewestElements))
        return std::nullopt;
    std::vector<double> errors = element_shares(within.of.result, within.exact, within.limit);
    leave_out_subnormal(within, errors);
    std::optional<compare::Introduced> found;
    double least = HUGE_VAL;
    const std::vector<Direction> directions = directions_of(within);
    const Fit of_factor = fit(errors, directions.front().shares);
    for (const Direction& direction : directions) {
        const Fit own = fit(errors, direction.shares);
        if (own.after >= least || !own.is_no_chance() || !is_clear(within, own) ||
            !is_beyond_rounding(within, directions.front(), direction, own, of_factor) ||
            !is_beyond_runs_here(within, direction, own))
            continue;
        least = own.after;
        found = error_held_to(within, within.limit);
        // Their squares, as far as the fit leaves any.
        found->ratio =
            std::max(found->ratio, std::sqrt(own.before / std::max(own.after, 1e-6 * own.before)));
        found->told = told_of(direction, own);
        if (!is_within(within)) found->formula = "what sums leave that are not rounded on the way";
    }
    return found;
}

}  // namespace npuscope::diagnose
