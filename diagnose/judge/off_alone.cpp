#include "diagnose/judge/off_alone.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "diagnose/judge/disturbed_runs.h"
#include "diagnose/judge/result_error.h"
#include "npu_backend/numerics/rounding.h"

namespace npuscope::diagnose {

namespace {

/// Times further off than the neighbours.
constexpr double kTimesNeighbours = 6;
/// So many neighbours on either side, and so far away at most: functions change within numbers of
/// about 1, and bumps of their error are wider than that.
constexpr size_t kNeighbours = 4;
constexpr double kSpanOfNeighbours = 0.5;
/// Of fewer elements nobody knows what is usual.
constexpr size_t kFewestElementsAlone = 32;
/// Of the neighbours, so many may be at fault as well.
constexpr size_t kAlsoOff = 1;
/// Further off than nearly all elements.
constexpr double kTimesMost = 4;
constexpr double kNearlyAllElements = 0.95;
/// That neighbours are off by at least: half of what rounding makes.
constexpr double kLeastOfRounding = 0.5;
/// Beside a run here, in half units: loops and their tails may use two implementations.
constexpr double kHalfUnitsAlone = 3;
/// Further off than runs here are at that place.
constexpr double kOfRunsHere = 3;

/// What the op computes its elements from: one number each, and what that is multiplied by.
struct Elements {
    std::vector<double> numbers{};
    std::vector<double> factors{};  ///< empty: 1
};

bool is_gradient_factor(std::string_view argument) {
    return argument == "grad_output" || argument == "grad";
}

/// Empty of ops that take in more.
Elements elements_of(const OpRun& run, const RecordedResult& result) {
    Elements found;
    for (const NamedValue& argument : run.wide) {
        const auto* tensor = std::get_if<Tensor>(&argument.value);
        if (tensor == nullptr) continue;
        if (tensor->dtype() != DType::kFloat64 || tensor->shape() != result.elements.shape())
            return {};
        std::vector<double>& of = is_gradient_factor(argument.name) ? found.factors : found.numbers;
        if (!of.empty()) return {};
        const std::span<const double> values = tensor->as<double>();
        of.assign(values.begin(), values.end());
    }
    return found;
}

/// How far an element is off: as a share of its limit, and by itself, but for the factor.
struct Distance {
    double share = 0;
    double error = 0;
};

/// Of each, the largest but `kAlsoOff`.
Distance usual_distance(std::vector<Distance> all) {
    const auto at = static_cast<std::ptrdiff_t>(kAlsoOff);
    std::ranges::nth_element(all, all.begin() + at, std::greater(), &Distance::share);
    Distance usual = all[kAlsoOff];
    std::ranges::nth_element(all, all.begin() + at, std::greater(), &Distance::error);
    usual.error = all[kAlsoOff].error;
    return usual;
}

class OffAlone {
  public:
    OffAlone(const ResultInLimit& within,
             const Elements& elements,
             const std::vector<double>& shares)
        : within_(within),
          elements_(elements),
          order_(elements.numbers.size()),
          format_(format_of(within.of.result.elements.dtype())) {
        for (size_t i = 0; i < shares.size(); ++i) {
            const double share = std::abs(shares[i]);
            distances_.push_back({share, share * within.limit[i] / factor(i)});
        }
        std::iota(order_.begin(), order_.end(), size_t{0});
        std::erase_if(order_, [&](size_t i) { return !(factor(i) > 0); });
        std::ranges::sort(order_, {}, [&](size_t i) { return elements_.numbers[i]; });
        most_ = nearly_largest();
    }

    /// The elements that are off alone, with what they are held to in shares of their limits.
    [[nodiscard]] std::vector<std::pair<size_t, double>> find() const {
        std::vector<std::pair<size_t, double>> found;
        for (size_t at = kNeighbours; at + kNeighbours < order_.size(); ++at)
            if (const double share = held_to(at); share > 0) found.emplace_back(order_[at], share);
        return found;
    }

  private:
    [[nodiscard]] double factor(size_t i) const {
        return elements_.factors.empty() ? 1 : std::abs(elements_.factors[i]);
    }

    [[nodiscard]] double half(size_t i) const {
        return half_unit(format_, within_.of.results, within_.exact[i]);
    }

    /// The share that nearly all of those in order_ are off by at most.
    [[nodiscard]] double nearly_largest() const {
        if (order_.empty()) return 0;
        std::vector<double> shares;
        for (const size_t i : order_)
            shares.push_back(distances_[i].share);
        const auto place = static_cast<std::ptrdiff_t>(kNearlyAllElements *
                                                       static_cast<double>(shares.size() - 1));
        std::ranges::nth_element(shares, shares.begin() + place);
        return shares[static_cast<size_t>(place)];
    }

    /// 0 where it does not stand alone.
    [[nodiscard]] double held_to(size_t at) const {
        const size_t i = order_[at];
        const Distance& own = distances_[i];
        if (!(own.share * within_.limit[i] > kHalfUnitsAlone * half(i)) ||
            !std::isfinite(own.error))
            return 0;
        const double number = elements_.numbers[i];
        const double span = elements_.numbers[order_[at + kNeighbours]] -
                            elements_.numbers[order_[at - kNeighbours]];
        if (!(span <= kSpanOfNeighbours * std::max(1.0, std::abs(number)))) return 0;
        std::vector<Distance> near;
        for (size_t k = at - kNeighbours; k <= at + kNeighbours; ++k)
            if (k != at) near.push_back(distances_[order_[k]]);
        const Distance usual = usual_distance(std::move(near));
        const double rounding = kLeastOfRounding * half(i);
        const double share =
            std::max(kTimesNeighbours * std::max(usual.share, rounding / within_.limit[i]),
                     kTimesMost * most_);
        const double error = kTimesNeighbours * std::max(usual.error, rounding / factor(i));
        return own.share > share && own.error > error ? share : 0;
    }

    const ResultInLimit& within_;
    const Elements& elements_;
    std::vector<size_t> order_;  ///< of the elements by their numbers
    NumberFormat format_;
    std::vector<Distance> distances_{};
    double most_ = 0;
};

/// Leaves those that no run here is off at.
void forget_known(const ResultInLimit& within,
                  const std::vector<double>& shares,
                  std::vector<std::pair<size_t, double>>& elements) {
    for (const HonestRuns which : {HonestRuns::kReference, HonestRuns::kChips}) {
        if (elements.empty()) return;
        for (const Results& own : within.runs_here(which)) {
            const auto here = element_shares_of_own(within.of, own, within.exact, within.limit);
            if (!here) continue;
            std::erase_if(elements, [&](const auto& each) {
                return std::abs((*here)[each.first]) * kOfRunsHere > std::abs(shares[each.first]);
            });
        }
    }
}

}  // namespace

std::optional<compare::Introduced> off_alone_error(const ResultInLimit& within) {
    const auto& [run, of, exact, limit, runs_here] = within;
    if (exact.size() < kFewestElementsAlone || !backend::all_finite(of.result.elements))
        return std::nullopt;
    const Elements elements = elements_of(run, of.result);
    if (elements.numbers.size() != exact.size() ||
        (!elements.factors.empty() && elements.factors.size() != exact.size()))
        return std::nullopt;
    const std::vector<double> shares = element_shares(of.result, exact, limit);
    auto alone = OffAlone(within, elements, shares).find();
    // What costs runs of the op is asked last.
    if (alone.empty() || !DisturbedRuns(run).is_elementwise()) return std::nullopt;
    forget_known(within, shares, alone);
    if (alone.empty()) return std::nullopt;
    AllowedErrors allowed(limit.begin(), limit.end());
    for (const auto& [element, share] : alone)
        allowed[element] *= std::min(1.0, share);
    compare::Introduced error = error_held_to(within, allowed);
    error.told = fmt::format(
        "{} element{} more than {} times as far off as those of nearly the same numbers",
        alone.size(),
        alone.size() == 1 ? " is" : "s are",
        kTimesNeighbours);
    error.formula = "what elements of nearly the same numbers are off by";
    return error;
}

}  // namespace npuscope::diagnose
