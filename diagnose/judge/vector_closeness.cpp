// How near a result is to what honest runs here make of its op.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "diagnose/judge/exact_run.h"
#include "diagnose/judge/hidden_terms.h"
#include "diagnose/judge/norm_terms.h"
#include "diagnose/judge/vector_error.h"

namespace npuscope::diagnose {

namespace {

/// A chip here that is off by more is of another class.
constexpr double kMostOfChip = 4;
/// Results of no more elements are computed here on disturbed inputs as well.
constexpr int64_t kFew = 32;

}  // namespace

const std::vector<Results>& VectorError::honest(const VectorClass& by, HonestRuns which) {
    // The reference is in float32 whatever narrower steps are asked for.
    const int bits =
        which == HonestRuns::kReference ? std::max(by.steps.bits, kFloat32.bits) : by.steps.bits;
    const auto [place, fresh] = honest_.try_emplace({bits, which});
    if (fresh) place->second = honest_runs(*run_.op, run_.wide, by.steps, which);
    return place->second;
}

std::optional<Closeness> VectorError::closeness(const VectorClass& by,
                                                const RecordedResult& result,
                                                HonestRuns which,
                                                double enough) {
    const Tensor* y = exact_result(run_, result);
    if (y == nullptr || y->dtype() != DType::kFloat64 || !is_float(result.elements.dtype()))
        return std::nullopt;
    const std::span<const double> exact = y->as<double>();
    const AllowedErrors limit = allowed(by, result, exact, conditioned(by, result, *y));
    Closeness found{.recorded = measure_error(result, exact, by.results, limit).ratio};
    if (found.times() <= enough) return found;
    std::vector<Shares> own;
    if (const RecordedResult* some = part_result(result)) {
        found.here = part_->closeness_here(by, *some, which, own);
    } else {
        found.here = closeness_here(by, result, which, own);
        found.singled_out = singled_out(result, exact, limit, found.recorded, own);
    }
    return found;
}

double VectorError::closeness_here(const VectorClass& by,
                                   const RecordedResult& result,
                                   HonestRuns which,
                                   std::vector<Shares>& shares_of_runs) {
    const Tensor* y = exact_result(run_, result);
    if (y == nullptr || y->dtype() != DType::kFloat64) return 0;
    const std::span<const double> exact = y->as<double>();
    const AllowedErrors limit = allowed(by, result, exact, conditioned(by, result, *y));
    double largest = 0;
    const HonestResult here{.result = result, .results = by.results, .steps = by.steps};
    const auto take = [&](const Results& own, std::span<const double> own_exact) {
        if (const auto shares = shares_of_own(here, own, own_exact, limit, kMostOfChip)) {
            largest = std::max(largest, shares->most);
            shares_of_runs.push_back(*shares);
        }
    };
    for (const Results& own : honest(by, which))
        take(own, exact);
    // What steps make of disturbed inputs; an error of few elements may be small by luck.
    const std::vector<double>& stepped = disturbed_.errors(by.steps, result).steps.errors;
    const double scale = std::max(1.0, by.steps.unit() / kFloat32.unit());
    double worst = 0;
    for (size_t i = 0; i < stepped.size(); ++i)
        if (stepped[i] > 0) worst = std::max(worst, scale * stepped[i] / limit[i]);
    if (worst <= 1) largest = std::max(largest, worst);
    const bool is_small = result.elements.numel() <= kFew && which == HonestRuns::kChips;
    for (unsigned draw = 0; is_small && draw < DisturbedRuns::kDraws; ++draw) {
        const NamedValues inputs = disturbed_.inputs(by.steps, draw);
        const auto moved = run(*run_.op, widened(inputs), Device::reference64());
        const Tensor* own_exact = moved ? expected_of(*moved, result) : nullptr;
        if (own_exact == nullptr || own_exact->dtype() != DType::kFloat64) continue;
        for (const Results& own : honest_runs(*run_.op, inputs, by.steps, which))
            take(own, own_exact->as<double>());
    }
    const auto allow = [&](const std::vector<double>& terms, double off) {
        for (size_t i = 0; i < std::min(limit.size(), terms.size()); ++i)
            if (const double share = off * terms[i] / limit[i]; std::isfinite(share))
                largest = std::max(largest, share);
    };
    // What one rounding of a term that cancels makes, or an ulp of a function.
    allow(hidden_terms(run_, result), by.steps.unit() * (are_functions(run_) ? 2 : 1));
    allow(rounded_statistics(run_, result), 1);
    return largest;
}

std::optional<ResultInLimit> VectorError::in_limit(const VectorClass& by,
                                                   const RecordedResult& result) {
    const Tensor* y = exact_result(run_, result);
    if (y == nullptr || y->dtype() != DType::kFloat64 || !is_float(result.elements.dtype()))
        return std::nullopt;
    const std::span<const double> exact = y->as<double>();
    return ResultInLimit{.run = run_,
                         .of = {.result = result, .results = by.results, .steps = by.steps},
                         .exact = exact,
                         .limit = allowed(by, result, exact, conditioned(by, result, *y)),
                         .runs_here = [this, &by](HonestRuns which) { return honest(by, which); }};
}

std::optional<ResultInLimit> VectorError::part_in_limit(const VectorClass& by,
                                                        const RecordedResult& result) {
    const RecordedResult* some = part_result(result);
    return some != nullptr ? part_->in_limit(by, *some) : in_limit(by, result);
}

double VectorError::times_at_first_sight(const VectorClass& by, const RecordedResult& result) {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    const Tensor* y = exact_result(run_, result);
    if (y == nullptr || y->dtype() != DType::kFloat64) return kNever;
    const HonestResult of{.result = result, .results = by.results, .steps = by.steps};
    const RecordedResult* less = part_result(result);
    const OpRun& some = less != nullptr ? part_run_->run : run_;
    VectorError& error_of_some = less != nullptr ? *part_ : *this;
    const RecordedResult& of_some = less != nullptr ? *less : result;
    const Tensor* some_y = exact_result(some, of_some);
    const auto& here = error_of_some.honest(by, HonestRuns::kReference);
    if (here.empty() || some_y == nullptr) return kNever;
    return times_by_size(of,
                         {y->as<double>(), norm_sizes(run_, result)},
                         {.result = of_some, .results = by.results, .steps = by.steps},
                         here.front(),
                         {some_y->as<double>(), norm_sizes(some, of_some)});
}

double VectorError::chips_ratio(const VectorClass& by, const RecordedResult& result) {
    const Tensor* y = exact_result(run_, result);
    if (y == nullptr || y->dtype() != DType::kFloat64 || !is_of_16_bits(result.elements.dtype()))
        return 0;
    if (const RecordedResult* some = part_result(result)) return part_->chips_ratio(by, *some);
    const std::span<const double> exact = y->as<double>();
    const AllowedErrors limit = allowed(by, result, exact, conditioned(by, result, *y));
    const HonestResult here{.result = result, .results = by.results, .steps = by.steps};
    double worst = 0;
    for (const Results& own : chip_runs(*run_.op, run_.arguments))
        worst = std::max(
            worst, shares_of_own(here, own, exact, limit, kMostOfChip).value_or(Shares{}).most);
    return worst;
}

}  // namespace npuscope::diagnose
