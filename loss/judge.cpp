#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "loss/course.h"
#include "loss/factor.h"
#include "loss/limits.h"
#include "loss/noise.h"
#include "loss/pairing.h"
#include "loss/sides.h"
#include "loss/verdict.h"

namespace npuscope::loss {

namespace {

// 0.5 at the limit, towards 1 far from it.
double confidence_of(double ratio) {
    if (!std::isfinite(ratio)) return 0.99;
    const double far = ratio >= 1 ? ratio : 1 / std::max(ratio, 1e-9);
    return std::min(0.99, far / (far + 1));
}

struct Case {
    const Log& golden;
    const Log& target;
    const Options& options;
    Pairing pair;
    Limits limits;
    double noise = 0;
};

bool same_digits(const Case& c, size_t i) {
    const double a = c.pair.golden[i];
    const double b = c.pair.target[i];
    if (!std::isfinite(a) || !std::isfinite(b)) return a == b || (std::isnan(a) && std::isnan(b));
    // Half a unit apart prints the same, or the neighbour.
    return a == b || std::abs(a - b) <= 0.5000001 * c.pair.unit[i];
}

// How much the weights have been moved before a common step, in learning rates summed over the
// steps before it. Without a learning rate in the log each step counts 1.
double moved_before(const Case& c, size_t i) {
    const Curve& rate = c.golden.of(Quantity::kLearningRate);
    const int64_t first = c.pair.steps[0];
    const int64_t step = c.pair.steps[i];
    if (rate.empty())
        return std::floor(static_cast<double>(step - first) /
                          static_cast<double>(c.options.accumulation));
    double sum = 0;
    double last = rate.values.front();
    int64_t from = first;
    for (size_t j = 0; j < rate.size() && rate.steps[j] < step; ++j) {
        if (rate.steps[j] >= from) {
            sum += last * static_cast<double>(rate.steps[j] - from);
            from = rate.steps[j];
        }
        last = rate.values[j];
    }
    sum += last * static_cast<double>(step - from);
    const int64_t whole = (step - first) / c.options.accumulation * c.options.accumulation;
    return step - first < c.options.accumulation
               ? 0
               : sum * static_cast<double>(whole) / static_cast<double>(step - first);
}

// Updates that moved the weights before a common step.
int64_t updates_before(const Case& c, size_t i) {
    const Curve& rate = c.golden.of(Quantity::kLearningRate);
    int64_t first = c.pair.steps[0];
    for (size_t j = 0; j < rate.size() && rate.values[j] == 0; ++j)
        first = std::max(first, rate.steps[j] + 1);
    return std::max<int64_t>(0, c.pair.steps[i] - first) / c.options.accumulation;
}

// Whether updates that are wrong from the first one on explain the parting: the weights had not
// moved before; or a few times only; or so little that the difference, which grows as their way
// and, with momentum, its third power, was below the limit.
bool is_first_update(const Case& c, size_t parting) {
    constexpr int64_t kFewUpdates = 4;
    if (parting == 0) return false;
    const double before = moved_before(c, parting - 1);
    const double now = moved_before(c, parting);
    if (now <= 0) return false;
    if (before <= 0 || updates_before(c, parting) <= kFewUpdates) return true;
    const double part = before / now;
    return part <= 0.75 &&
           std::abs(c.pair.difference(parting)) * part * part * part <= c.limits.limit[parting - 1];
}

std::string shown(double value) {
    return fmt::format("{:.7g}", value);
}

std::string numbers_at(const Case& c, size_t i) {
    return fmt::format("step {}: {}, golden {}, difference {:.3g}; like runs are within {:.2g}",
                       c.pair.steps[i],
                       shown(c.pair.target[i]),
                       shown(c.pair.golden[i]),
                       c.pair.difference(i),
                       c.limits.limit[i]);
}

const SideDifference* side_of(const Verdict& verdict, Quantity quantity) {
    for (const SideDifference& side : verdict.sides)
        if (side.quantity == quantity) return &side;
    return nullptr;
}

void explain_start(const Case& c, Verdict& verdict) {
    const int64_t step = c.pair.steps[0];
    const auto factor = factor_words(c.pair.target[0], c.pair.golden[0], c.pair.unit[0]);
    verdict.headline =
        factor
            ? fmt::format(
                  "Step {} differs already: the loss is {}, a sum where the other side "
                  "takes the mean, or a scale.",
                  step,
                  *factor)
            : fmt::format(
                  "Step {} differs already: other weights, other data, or the forward pass.", step);
    if (step > 1 && c.pair.steps.size() > 1 && step != 0)
        verdict.evidence.push_back(fmt::format(
            "the first common step is {}: what differs may also lie in the updates before", step));
    verdict.capture = {step,
                       "forward",
                       "same weights and same batch on both sides: the first module or op whose "
                       "results differ"};
}

void explain_update(const Case& c, Verdict& verdict) {
    const int64_t step = c.pair.steps[*c.limits.parting];
    const SideDifference* norm = side_of(verdict, Quantity::kGradNorm);
    const SideDifference* rate = side_of(verdict, Quantity::kLearningRate);
    const bool norm_first = norm != nullptr && norm->step <= verdict.before;
    std::string where = "the backward pass or the optimizer";
    if (rate != nullptr && rate->step <= step)
        where = "the learning rate is another";
    else if (norm_first)
        where =
            "the gradients are others before the update: the backward pass, or how they are scaled "
            "and summed";
    else if (!c.golden.of(Quantity::kGradNorm).empty() && !c.target.of(Quantity::kGradNorm).empty())
        where =
            "the gradients' norms agree before it: the optimizer, clipping or the learning rate";
    verdict.headline =
        fmt::format("Alike until step {}, and not after the first update (step {}): {}.",
                    verdict.before,
                    step,
                    where);
    verdict.capture = {
        verdict.before, "backward", "the gradients of this step, and the weights after its update"};
}

void explain_from(const Case& c, Verdict& verdict) {
    const int64_t step = c.pair.steps[*c.limits.parting];
    verdict.headline = fmt::format(
        "Alike until step {}, different from step {} on: a batch, an update that was skipped or "
        "went wrong in between.",
        verdict.before,
        step);
    verdict.capture = {
        verdict.before,
        "backward",
        fmt::format("gradients and update of this step; then the forward pass of step {}", step)};
}

void explain_course(const Case& c, Verdict& verdict) {
    const Course& course = verdict.course;
    verdict.step = course.step;
    std::string text = course.text;
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    verdict.headline = text + ".";
    const auto place = std::lower_bound(c.pair.steps.begin(), c.pair.steps.end(), course.step);
    const size_t i = static_cast<size_t>(place - c.pair.steps.begin());
    verdict.before = i > 0 ? c.pair.steps[i - 1] : 0;
    if (i < c.pair.size()) {
        verdict.difference = c.pair.difference(i);
        verdict.limit = c.limits.limit[i];
    }
    if (course.kind == Class::kDrift)
        verdict.capture = {
            course.step,
            "",
            "one step from the same checkpoint on both sides, forward and backward: no step "
            "alone shows it"};
    else if (course.kind == Class::kSpike)
        verdict.capture = {course.step,
                           "forward",
                           "its batch, and the module whose results jump first; if none does, the "
                           "update of the step before"};
    else
        verdict.capture = {i > 0 ? verdict.before : course.step,
                           "backward",
                           "where the first large or infinite gradient comes from"};
}

void explain_alike(const Case& c, Verdict& verdict) {
    if (verdict.kind == Class::kIdentical) {
        verdict.headline = fmt::format(
            "The same loss at all {} common steps, at the digits printed.", c.pair.size());
        verdict.confidence = 0.99;
        return;
    }
    verdict.headline =
        fmt::format("Within the noise of like runs at all {} common steps.", c.pair.size());
    double worst = 0;
    for (size_t i = 0; i < c.pair.size(); ++i) {
        if (i == 0 && c.options.any_start) continue;
        if (c.limits.limit[i] > 0 && std::isfinite(c.pair.difference(i)))
            worst = std::max(worst, std::abs(c.pair.difference(i)) / c.limits.limit[i]);
    }
    verdict.confidence = confidence_of(std::min(worst, 1.0));
}

// Where one log goes on for a good part of its steps and the other does not.
void tell_end(const Case& c, Verdict& verdict) {
    constexpr size_t kPart = 10;
    const auto tell = [&](const Log& log, const char* whose, const char* other) {
        const Curve& curve = log.of(Quantity::kLoss);
        const auto after = static_cast<size_t>(
            curve.steps.end() - std::ranges::upper_bound(curve.steps, c.pair.steps.back()));
        if (after * kPart > curve.size())
            verdict.evidence.push_back(
                fmt::format("the {} ends at step {}: {} steps of the {} are held against nothing",
                            other,
                            c.pair.steps.back(),
                            after,
                            whose));
    };
    tell(c.golden, "golden", "target");
    tell(c.target, "target", "golden");
}

void measure(const Case& c, Verdict& verdict) {
    verdict.common = c.pair.size();
    verdict.step_noise = c.noise;
    double sum = 0;
    size_t counted = 0;
    for (size_t i = 0; i < c.pair.size(); ++i) {
        const double difference = c.pair.difference(i);
        if (!std::isfinite(difference)) continue;
        if (std::abs(difference) > std::abs(verdict.largest)) verdict.largest = difference;
        if (c.pair.golden[i] == 0) continue;
        sum += std::abs(difference / c.pair.golden[i]);
        ++counted;
    }
    verdict.mean_relative_error = counted > 0 ? sum / static_cast<double>(counted) : 0;
}

// Whether a later parting is a step and no slow one: the difference there is a good part of what
// the course says of later. Spikes, divergence and NaN tell more than the step at which they begin.
bool is_sudden(const Case& c, const Verdict& verdict) {
    constexpr double kPart = 0.35;
    return verdict.course.kind == Class::kDrift &&
           std::abs(c.pair.difference(*c.limits.parting)) > kPart * std::abs(verdict.course.size);
}

// Where the two part, by the first of: the start, the first update, a spike or the like, a step.
void classify(const Case& c, Verdict& verdict) {
    bool identical = true;
    for (size_t i = 0; i < c.pair.size(); ++i)
        identical = identical && same_digits(c, i);
    if (identical) {
        verdict.kind = Class::kIdentical;
        return;
    }
    const bool from_course = verdict.course.kind != Class::kNoise;
    if (!c.limits.parting || c.options.any_start) {
        verdict.kind = verdict.course.kind;
        return;
    }
    const size_t parting = *c.limits.parting;
    if (from_course && verdict.course.step < c.pair.steps[parting]) {
        verdict.kind = verdict.course.kind;
        return;
    }
    verdict.step = c.pair.steps[parting];
    verdict.before = parting > 0 ? c.pair.steps[parting - 1] : 0;
    verdict.difference = c.pair.difference(parting);
    verdict.limit = c.limits.limit[parting];
    if (parting == 0 || (moved_before(c, parting) <= 0))
        verdict.kind = Class::kStart;
    else if (is_first_update(c, parting))
        verdict.kind = Class::kUpdate;
    else if (from_course && !is_sudden(c, verdict))
        verdict.kind = verdict.course.kind;
    else
        verdict.kind = Class::kFromStep;
}

void explain(const Case& c, Verdict& verdict) {
    const bool by_step = verdict.kind == Class::kStart || verdict.kind == Class::kUpdate ||
                         verdict.kind == Class::kFromStep;
    if (by_step) {
        const size_t parting = *c.limits.parting;
        verdict.confidence =
            confidence_of(std::abs(verdict.difference) / std::max(verdict.limit, 1e-300));
        verdict.evidence.push_back(numbers_at(c, parting));
        if (parting > 0) verdict.evidence.push_back(numbers_at(c, parting - 1));
    }
    switch (verdict.kind) {
        case Class::kIdentical:
        case Class::kNoise:
            explain_alike(c, verdict);
            break;
        case Class::kStart:
            explain_start(c, verdict);
            break;
        case Class::kUpdate:
            explain_update(c, verdict);
            break;
        case Class::kFromStep:
            explain_from(c, verdict);
            break;
        default:
            explain_course(c, verdict);
            verdict.confidence =
                verdict.kind == Class::kNan
                    ? 0.99
                    : confidence_of(std::abs(verdict.course.size) / std::max(c.noise, 1e-300));
    }
    if (by_step) verdict.evidence.push_back(verdict.course.text);
    for (const SideDifference& side : verdict.sides)
        verdict.evidence.push_back(to_text(side));
    tell_end(c, verdict);
}

}  // namespace

Verdict judge(const Log& golden,
              const Log& target,
              const std::vector<Log>& like,
              const Options& options) {
    Case c{golden, target, options, pair(golden, target, Quantity::kLoss), {}, 0};
    std::vector<Pairing> likes;
    likes.reserve(like.size());
    for (const Log& run : like)
        likes.push_back(pair(golden, run, Quantity::kLoss));
    c.noise = std::max(step_noise(c.pair.golden), c.pair.unit[0]);
    c.limits = limits_of(c.pair, likes, options);
    double allowed = 0;
    for (const Pairing& run : likes) {
        const size_t third = run.size() - run.size() / 3;
        double sum = 0;
        for (size_t i = third; i < run.size(); ++i)
            sum += run.difference(i);
        if (run.size() > third)
            allowed =
                std::max(allowed, 2 * std::abs(sum) / static_cast<double>(run.size() - third));
    }
    Verdict verdict;
    verdict.remarks = c.pair.remarks;
    verdict.sides = side_differences(golden, target);
    const size_t from = c.limits.parting ? *c.limits.parting : 0;
    verdict.course = course_of(
        c.pair, options.any_start ? 0 : (from < 16 ? 0 : from - 16), c.noise, allowed, options);
    measure(c, verdict);
    classify(c, verdict);
    explain(c, verdict);
    verdict.is_finding = row_of(verdict.kind).is_finding;
    verdict.steps = c.pair.steps;
    verdict.limits = c.limits.limit;
    return verdict;
}

}  // namespace npuscope::loss
