#include "loss/course.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "loss/noise.h"

namespace npuscope::loss {

namespace {

// Numbers of step noise, unless said otherwise. Set on the even seeds of bench/loss and held on the
// odd ones.
constexpr double kSpikeNoise = 4;        // of a spike above the level before it
constexpr double kSpikeGap = 8;          // and of the scatter of the differences before it
constexpr double kSpikeOther = 3;        // what the other run may rise there
constexpr double kSpikeLeft = 0.35;      // part of its height that is left when it is over
constexpr double kDivergenceHeight = 6;  // of the last level above the lowest
constexpr double kDivergencePart = 0.2;  // and of what the golden learns in all
constexpr double kDriftErrors = 4;       // standard errors of the mean difference
constexpr double kDriftNoise = 0.4;      // the least drift, and
constexpr double kDriftRounding = 2;     // of the loss times its rounding
constexpr double kWarp = 0.15;           // part of the steps by which seeds shift a course
constexpr size_t kBins = 16;
constexpr size_t kBlocks = 6;

using Values = std::span<const double>;

std::vector<double> bin_medians(Values values, size_t bins) {
    std::vector<double> medians;
    for (size_t k = 0; k < bins; ++k) {
        const size_t begin = values.size() * k / bins;
        const size_t end = values.size() * (k + 1) / bins;
        if (end > begin)
            medians.push_back(median({values.begin() + static_cast<std::ptrdiff_t>(begin),
                                      values.begin() + static_cast<std::ptrdiff_t>(end)}));
    }
    return medians;
}

std::optional<Course> nan_course(const Pairing& pair, size_t from) {
    for (size_t i = from; i < pair.size(); ++i) {
        const bool golden = std::isfinite(pair.golden[i]);
        const bool target = std::isfinite(pair.target[i]);
        if (golden == target) continue;
        Course course{Class::kNan, target, pair.steps[i], 0, {}};
        course.text = fmt::format("{} is {} at step {}",
                                  target ? "the golden's loss" : "the loss",
                                  target ? pair.golden[i] : pair.target[i],
                                  pair.steps[i]);
        return course;
    }
    return std::nullopt;
}

// `run` rises and stays up; `other` does not.
std::optional<Course> divergence(
    const Pairing& pair, size_t from, Values run, Values other, double noise, bool in_golden) {
    const size_t bins = std::min(kBins, run.size() / 3);
    const std::vector<double> levels = bin_medians(run, bins);
    const std::vector<double> others = bin_medians(other, bins);
    const auto lowest = std::min_element(levels.begin(), levels.end());
    const double rise = levels.back() - *lowest;
    const double learnt = std::abs(others.front() - others.back());
    const double needed = std::max(kDivergenceHeight * noise, kDivergencePart * learnt);
    const double other_rise = others.back() - *std::min_element(others.begin(), others.end());
    if (rise <= needed || levels.back() - others.back() <= needed || other_rise > 0.5 * rise)
        return std::nullopt;
    const auto bin = static_cast<size_t>(lowest - levels.begin()) + 1;
    const size_t place = from + std::min(run.size() - 1, run.size() * bin / bins);
    Course course{Class::kDivergence, in_golden, pair.steps[place], rise, {}};
    course.text = fmt::format("{} rises by {:.3g} after step {} and stays up",
                              in_golden ? "the golden's loss" : "the loss",
                              rise,
                              pair.steps[place]);
    return course;
}

// `run` jumps and comes back; `other` does not jump.
std::optional<Course> spike(
    const Pairing& pair, size_t from, Values run, Values other, double noise, bool in_golden) {
    const size_t before = std::clamp<size_t>(run.size() / 8, 5, 16);
    const size_t longest = std::max<size_t>(10, run.size() / 4);
    const double least = kSpikeNoise * noise;
    for (size_t i = before; i < run.size(); ++i) {
        const double gap = run[i] - other[i];
        if (gap <= least) continue;
        const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(i);
        const std::ptrdiff_t first = at - static_cast<std::ptrdiff_t>(before);
        const double level = median({run.begin() + first, run.begin() + at});
        const double other_level = median({other.begin() + first, other.begin() + at});
        std::vector<double> gaps;
        for (size_t k = i - before; k < i; ++k)
            gaps.push_back(run[k] - other[k]);
        const double gap_before = median(gaps);
        for (double& value : gaps)
            value = std::abs(value - gap_before);
        const double height = std::max(least, kSpikeGap * 1.4826 * median(gaps));
        if (run[i] - level <= least || other[i] - other_level > kSpikeOther * noise ||
            gap - gap_before <= height)
            continue;
        double peak = gap - gap_before;
        size_t end = i + 1;
        while (end < run.size() && end - i < longest) {
            const double now = run[end] - other[end] - gap_before;
            peak = std::max(peak, now);
            if (now < kSpikeLeft * peak) break;
            ++end;
        }
        if (end == run.size() || end - i >= longest) continue;
        Course course{Class::kSpike, in_golden, pair.steps[from + i], peak, {}};
        course.text = fmt::format("{} jumps by {:.3g} at step {} and is back at step {}",
                                  in_golden ? "the golden's loss" : "the loss",
                                  peak,
                                  pair.steps[from + i],
                                  pair.steps[from + end]);
        return course;
    }
    return std::nullopt;
}

/// How much of a difference the last third needs to be one.
double least_drift(Values golden, double noise, double allowed, const Options& options) {
    const size_t third = golden.size() - golden.size() / 3;
    double size = 0;
    for (size_t i = third; i < golden.size(); ++i)
        size += std::abs(golden[i]) / static_cast<double>(golden.size() - third);
    const double least = std::max(
        {kDriftNoise * noise, kDriftRounding * rounding_of(options.precision) * size, allowed});
    if (!options.any_start) return least;
    // Seeds shift a course by a part of its steps; where it falls fast that is much.
    const size_t half = golden.size() / 2;
    const double early = median({golden.begin() + static_cast<std::ptrdiff_t>(half),
                                 golden.begin() + static_cast<std::ptrdiff_t>(third)});
    const double late = median({golden.begin() + static_cast<std::ptrdiff_t>(third), golden.end()});
    // From half to two thirds is a sixth of the steps, and so from there on.
    const double slope = std::abs(late - early) / 0.25;
    return std::max({least, slope * kWarp, noise});
}

std::optional<Course> drift(const Pairing& pair, Values golden, Values target, double least) {
    const size_t third = golden.size() - golden.size() / 3;
    std::vector<double> differences;
    for (size_t i = third; i < golden.size(); ++i)
        differences.push_back(target[i] - golden[i]);
    const BlockMean mean = block_mean(differences, kBlocks);
    if (std::abs(mean.mean) <= std::max(kDriftErrors * mean.error, least)) return std::nullopt;
    Course course{Class::kDrift, false, pair.steps[third], mean.mean, {}};
    course.text =
        fmt::format("from step {} on the loss is {} by {:.3g} on average (standard error {:.2g})",
                    pair.steps[third],
                    mean.mean > 0 ? "higher" : "lower",
                    std::abs(mean.mean),
                    mean.error);
    return course;
}

}  // namespace

Course course_of(
    const Pairing& pair, size_t from, double step_noise, double allowed, const Options& options) {
    if (const auto found = nan_course(pair, from)) return *found;
    Course none;
    none.text = "from there on both learn alike";
    // Steps at which neither is finite tell nothing.
    Pairing finite;
    for (size_t i = from; i < pair.size(); ++i) {
        if (!std::isfinite(pair.golden[i])) continue;
        finite.steps.push_back(pair.steps[i]);
        finite.golden.push_back(pair.golden[i]);
        finite.target.push_back(pair.target[i]);
    }
    if (finite.size() < kFewestForCourse) {
        none.text = "too few steps follow to tell how it goes on";
        return none;
    }
    const Values a(finite.golden);
    const Values b(finite.target);
    if (const auto found = divergence(finite, 0, b, a, step_noise, false)) return *found;
    if (const auto found = spike(finite, 0, b, a, step_noise, false)) return *found;
    if (const auto found = divergence(finite, 0, a, b, step_noise, true)) return *found;
    if (const auto found = spike(finite, 0, a, b, step_noise, true)) return *found;
    const double least = least_drift(a, step_noise, allowed, options);
    if (const auto found = drift(finite, a, b, least)) return *found;
    return none;
}

}  // namespace npuscope::loss
