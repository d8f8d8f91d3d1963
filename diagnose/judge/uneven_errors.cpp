#include "diagnose/judge/uneven_errors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "diagnose/judge/norm_terms.h"
#include "diagnose/judge/result_error.h"
#include "npu_backend/numerics/rounding.h"

namespace npuscope::diagnose {

namespace {

/// How many times further off than the middle part. Of 37 000 clean results none has a part that is
/// 4 times further off.
constexpr double kUneven = 5;
/// Without like runs clean results reach 5.
constexpr double kUnevenAlone = 6;
/// The same of the gradients of norms, whose factor of a channel is rounded once, and whose terms
/// cancel: a clean one of a group norm reaches 11.
constexpr double kOfNormGradients = 1.5;
/// Of the limit: parts that are nearer are within a rounding here and there.
constexpr double kLeastShare = 0.06;
/// The middle part, beside runs here: where it is nearer most elements are exact, where it is
/// further off the arithmetic is another.
constexpr double kNearest = 0.2;
constexpr double kFurthest = 2;
/// A middle part that is nearer counts as so far off.
constexpr double kLeastMiddle = 0.5;
/// Before anything is run here: a part is so many times further off than the middle one.
constexpr double kAtFirstSight = 3;
constexpr size_t kFewestInPart = 8;
constexpr size_t kFewestParts = 4;
constexpr auto kStretches = std::to_array<size_t>({16, 64});

/// The elements of a result, each in one part.
struct Partition {
    size_t parts = 0;
    size_t stride = 1;  ///< elements until the next part begins
    size_t axis = 0;    ///< or that many axes, of stretches

    bool is_cyclic = false;  ///< along an axis

    [[nodiscard]] size_t part_of(size_t element) const {
        const size_t at = element / stride;
        return is_cyclic ? at % parts : std::min(at, parts - 1);
    }
};

std::vector<Partition> partitions_of(const Shape& shape) {
    const auto count = static_cast<size_t>(numel_of(shape));
    std::vector<Partition> found;
    size_t stride = count;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
        const auto size = static_cast<size_t>(shape[axis]);
        stride /= std::max<size_t>(size, 1);
        if (size > 1 && count / size >= kFewestInPart)
            found.push_back({.parts = size, .stride = stride, .axis = axis, .is_cyclic = true});
    }
    for (const size_t length : kStretches)
        if (count / length >= kFewestParts)
            found.push_back({.parts = count / length, .stride = length, .axis = shape.size()});
    return found;
}

/// Root of the mean square, by part.
std::vector<double> by_part(const std::vector<double>& shares, const Partition& partition) {
    std::vector<double> squares(partition.parts);
    std::vector<double> counts(partition.parts);
    for (size_t i = 0; i < shares.size(); ++i) {
        const size_t part = partition.part_of(i);
        squares[part] += shares[i] * shares[i];
        ++counts[part];
    }
    for (size_t part = 0; part < squares.size(); ++part)
        squares[part] = std::sqrt(squares[part] / std::max(counts[part], 1.0));
    return squares;
}

double middle_of(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

/// The part that stands out most.
struct Part {
    Partition partition;
    size_t index = 0;
    double times = 0;  ///< further off than the middle one
    double share = 0;  ///< of the limit, that it would be off by if it did not stand out
};

Part furthest_part(const std::vector<double>& shares,
                   const std::vector<std::vector<double>>& here,
                   const Partition& partition) {
    const std::vector<double> own = by_part(shares, partition);
    std::vector<double> usual(partition.parts);
    double all = 0;
    for (const std::vector<double>& run : here) {
        const std::vector<double> parts = by_part(run, partition);
        double squares = 0;
        for (size_t i = 0; i < parts.size(); ++i) {
            usual[i] = std::max(usual[i], parts[i]);
            squares += parts[i] * parts[i];
        }
        all = std::max(all, std::sqrt(squares / static_cast<double>(parts.size())));
    }
    Part found{.partition = partition};
    if (all == 0) return found;
    std::vector<double> times(partition.parts);
    for (size_t i = 0; i < times.size(); ++i)
        times[i] = own[i] / std::max(usual[i], all);
    const double middle = middle_of(times);
    if (middle < kNearest || middle > kFurthest) return found;
    const double least = std::max(middle, kLeastMiddle);
    for (size_t i = 0; i < times.size(); ++i)
        if (own[i] >= kLeastShare && times[i] > found.times * least) {
            found.index = i;
            found.times = times[i] / least;
            found.share = least * std::max(usual[i], all);
        }
    return found;
}

Part furthest_part(const std::vector<double>& shares,
                   const std::vector<std::vector<double>>& here,
                   const std::vector<Partition>& partitions) {
    Part furthest;
    for (const Partition& partition : partitions)
        if (const Part found = furthest_part(shares, here, partition); found.times > furthest.times)
            furthest = found;
    return furthest;
}

bool may_be_uneven(const std::vector<double>& shares, const Partition& partition) {
    const std::vector<double> own = by_part(shares, partition);
    const double most = std::ranges::max(own);
    return most >= kLeastShare && most > kAtFirstSight * middle_of(own);
}

/// "[:, 5]" or "elements 16 to 31".
std::string name_of(const Part& part, const Shape& shape) {
    const auto count = static_cast<size_t>(numel_of(shape));
    if (!part.partition.is_cyclic) {
        const bool is_last = part.index + 1 == part.partition.parts;
        const size_t first = part.index * part.partition.stride;
        return fmt::format(
            "elements {} to {}", first, (is_last ? count : first + part.partition.stride) - 1);
    }
    std::vector<std::string> places(shape.size(), ":");
    places[part.partition.axis] = std::to_string(part.index);
    return fmt::format("[{}]", fmt::join(places, ", "));
}

}  // namespace

std::optional<compare::Introduced> uneven_error(const ResultInLimit& within, bool has_likes) {
    const auto& [run, of, exact, limit, runs_here] = within;
    const double uneven = (has_likes ? kUneven : kUnevenAlone) *
                          (is_gradient_of_norm(*run.op) ? kOfNormGradients : 1);
    if (!backend::all_finite(of.result.elements)) return std::nullopt;
    const std::vector<double> shares = element_shares(of.result, exact, limit);
    std::vector<Partition> partitions = partitions_of(of.result.elements.shape());
    std::erase_if(partitions, [&](const Partition& each) { return !may_be_uneven(shares, each); });
    Part part;
    for (const HonestRuns which : {HonestRuns::kReference, HonestRuns::kChips}) {
        if (partitions.empty()) return std::nullopt;
        std::vector<std::vector<double>> here;
        for (const Results& own : runs_here(which))
            if (auto found = element_shares_of_own(of, own, exact, limit))
                here.push_back(std::move(*found));
        part = furthest_part(shares, here, partitions);
        if (part.times <= uneven) return std::nullopt;
    }
    const double share = uneven * part.share;
    AllowedErrors allowed(limit.begin(), limit.end());
    for (size_t i = 0; i < allowed.size(); ++i)
        if (part.partition.part_of(i) == part.index) allowed[i] *= std::min(1.0, share);
    compare::Introduced error = error_held_to(within, allowed);
    error.told = fmt::format(
        "{}: {:.2g} times as far off as the others, where such arithmetic is off evenly",
        name_of(part, of.result.elements.shape()),
        part.times);
    error.formula = fmt::format("{:.2g} of the bound in that part", share);
    return error;
}

}  // namespace npuscope::diagnose
