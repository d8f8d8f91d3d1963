#include "diagnose/judge/closeness.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string_view>

#include "diagnose/judge/disturbed_runs.h"
#include "diagnose/judge/exact_run.h"
#include "diagnose/judge/result_error.h"
#include "npu_backend/chips/chip.h"

namespace npuscope::diagnose {

namespace {

constexpr double kLeast = 0.02;
/// Fewer elements that are off tell nothing of what is usual.
constexpr size_t kFewestOff = 32;
/// Results that are mostly nearer than those here are not held to it.
constexpr double kLeastUsual = 0.5;
/// Each of several steps may lose half of the smallest number, which is as much as the result's own
/// rounding where that is among the smallest ones.
constexpr double kStepsBelowNormal = 2;
constexpr double kNotComparable = std::numeric_limits<double>::infinity();

/// An emulated chip, as it is or with another order of sums and functions that are off by units of
/// the last place, as libraries' are.
struct Implementation {
    std::string_view chip;
    std::vector<std::string> settings{};
};

const std::vector<Implementation>& implementations() {
    static const std::vector<Implementation> rows = {
        {"910A"},
        {"910B"},
        {"950"},
        {"910B", {"reduce_order=one_by_one", "exp_ulp=1", "rec_ulp=1"}},
        {"910A", {"reduce_order=one_by_one", "cube_acc=align_trunc0"}},
        {"910B", {"vec_fma=fma", "cube_acc=align_trunc0", "cube_split_k=4"}},
    };
    return rows;
}

/// The largest error of the elements whose size has an exponent, by the exponent.
std::vector<double> largest_by_size(const Tensor& result,
                                    std::span<const double> exact,
                                    std::span<const double> sizes) {
    const Tensor wide = result.cast(DType::kFloat64);
    const std::span<const double> values = wide.as<double>();
    std::vector<double> errors(2048);
    for (size_t i = 0; i < exact.size(); ++i) {
        const double error = std::abs(values[i] - exact[i]);
        const double size = sizes.empty() ? exact[i] : std::abs(exact[i]) + sizes[i];
        double& largest = errors[(std::bit_cast<uint64_t>(size) >> 52U) & 0x7ffU];
        if (std::isnan(error))
            largest = kNotComparable;
        else
            largest = std::max(largest, error);
    }
    return errors;
}

double usual_of(std::vector<double> shares) {
    std::erase(shares, 0);
    for (double& share : shares)
        share = std::abs(share);
    if (shares.size() < kFewestOff) return 0;
    const auto quartile = shares.begin() + static_cast<std::ptrdiff_t>(shares.size() * 3 / 4);
    std::ranges::nth_element(shares, quartile);
    return *quartile;
}

DType dtype_of(const NumberFormat& steps) {
    if (steps.bits <= kBFloat16.bits) return DType::kBFloat16;
    if (steps.bits <= kFloat16.bits) return DType::kFloat16;
    return steps.bits <= kFloat32.bits ? DType::kFloat32 : DType::kFloat64;
}

}  // namespace

double Closeness::floored() const {
    return std::max(here, kLeast);
}

double Closeness::times() const {
    return recorded / floored();
}

std::vector<Results> honest_runs(const backend::Op& op,
                                 const NamedValues& wide,
                                 const NumberFormat& steps,
                                 HonestRuns which) {
    std::vector<Results> found;
    const auto take = [&](std::optional<Results> results) {
        if (results) found.push_back(std::move(*results));
    };
    if (steps.bits > kFloat32.bits) {
        take(run(op, wide, Device::reference64()));
        return found;
    }
    take(run(op, with_floats_as(wide, DType::kFloat32), Device::reference32()));
    if (which == HonestRuns::kReference) return found;
    for (Results& results : chip_runs(op, with_floats_as(wide, dtype_of(steps))))
        found.push_back(std::move(results));
    return found;
}

std::vector<Results> chip_runs(const backend::Op& op, const NamedValues& arguments) {
    std::vector<Results> found;
    for (const Implementation& each : implementations())
        if (auto results = run(op, arguments, Device::npu(chip(each.chip), each.settings)))
            found.push_back(std::move(*results));
    return found;
}

std::optional<std::vector<double>> element_shares_of_own(const HonestResult& of,
                                                         const Results& own,
                                                         std::span<const double> exact,
                                                         std::span<const double> limit,
                                                         double most) {
    const Tensor* found = expected_of(own, of.result);
    if (found == nullptr || !is_float(found->dtype())) return std::nullopt;
    const double scale = found->dtype() == DType::kFloat32 && of.steps.bits < kFloat32.bits
                             ? of.steps.unit() / kFloat32.unit()
                             : 1;
    const Tensor wide = found->cast(DType::kFloat64);
    const std::span<const double> values = wide.as<double>();
    const NumberFormat recorded = format_of(of.result.elements.dtype());
    std::vector<double> shares(values.size());
    for (size_t i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values[i]) || !std::isfinite(exact[i])) continue;
        const double value =
            recorded.rounded(of.results.rounded(exact[i] + (values[i] - exact[i]) * scale));
        const double error = value - exact[i];
        if (error == 0 || !std::isfinite(value)) continue;
        const double allowed = limit[i];
        if (std::abs(error) > most * allowed) return std::nullopt;
        shares[i] = error / allowed;
    }
    return shares;
}

std::optional<Shares> shares_of_own(const HonestResult& of,
                                    const Results& own,
                                    std::span<const double> exact,
                                    std::span<const double> limit,
                                    double most) {
    const auto shares = element_shares_of_own(of, own, exact, limit, most);
    if (!shares) return std::nullopt;
    double most_of_all = 0;
    for (const double share : *shares)
        most_of_all = std::max(most_of_all, std::abs(share));
    return Shares{.most = most_of_all, .usual = usual_of(*shares)};
}

std::vector<double> element_shares(const RecordedResult& result,
                                   std::span<const double> exact,
                                   std::span<const double> limit) {
    const JudgedElements judged(result, exact);
    const Tensor wide = judged.recorded().cast(DType::kFloat64);
    const std::span<const double> values = wide.as<double>();
    std::vector<double> shares(values.size());
    for (size_t i = 0; i < values.size(); ++i)
        if (const double error = values[i] - judged.expected()[i];
            error != 0 && std::isfinite(error))
            shares[i] = error / limit[i];
    return shares;
}

double singled_out(const RecordedResult& result,
                   std::span<const double> exact,
                   std::span<const double> limit,
                   double most,
                   std::span<const Shares> own) {
    double usual = usual_of(element_shares(result, exact, limit));
    if (usual == 0) return 0;
    double times = 0;
    for (const Shares& each : own) {
        if (each.usual == 0) continue;
        times = std::max(times, each.most / each.usual);
        usual = std::max(usual, kLeastUsual * each.usual);
    }
    return times == 0 ? 0 : most / usual / times;
}

double times_by_size(const HonestResult& of,
                     const ExactElements& exact,
                     const HonestResult& some,
                     const Results& own,
                     const ExactElements& exact_of_some) {
    const Tensor* found = expected_of(own, some.result);
    if (found == nullptr || !is_float(found->dtype())) return kNotComparable;
    const double scale = std::max(1.0, of.steps.unit() / kFloat32.unit());
    const auto here = largest_by_size(*found, exact_of_some.values, exact_of_some.sizes);
    const JudgedElements judged(of.result, exact.values);
    const auto there = largest_by_size(judged.recorded(), judged.expected(), exact.sizes);
    const NumberFormat recorded = format_of(of.result.elements.dtype());
    double times = 0;
    for (size_t size = 0; size < there.size(); ++size) {
        if (there[size] == 0) continue;
        if (!std::isfinite(there[size])) return kNotComparable;
        const double about = std::bit_cast<double>(static_cast<uint64_t>(size) << 52U);
        const double least = 2 * half_unit(recorded, of.results, about);
        times = std::max(times, there[size] / std::max(scale * here[size], least));
    }
    return times;
}

AllowedErrors tightened(std::span<const double> limit,
                        double share,
                        double half_units,
                        const RecordedResult& result,
                        const NumberFormat& results,
                        std::span<const double> exact) {
    const NumberFormat format = format_of(result.elements.dtype());
    const double normal = power_of_two(std::max(format.lowest, results.lowest));
    const HalfUnits halves(format, results);
    // Processors that know no subnormal numbers set such results to 0, whatever they are near to.
    const double lost = format.lowest <= kFloat32.lowest ? format.lost_near_zero() : 0;
    AllowedErrors limits(limit.begin(), limit.end());
    for (size_t i = 0; i < limits.size(); ++i) {
        const double half = halves.of(exact[i]);
        const double steps = std::abs(exact[i]) < normal ? kStepsBelowNormal : 1;
        limits[i] =
            std::max({share * limits[i], steps * half_units * half, std::min(limits[i], lost)});
    }
    return limits;
}

}  // namespace npuscope::diagnose
