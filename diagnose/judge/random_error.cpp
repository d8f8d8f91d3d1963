#include "diagnose/judge/random_error.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "diagnose/judge/result_error.h"

namespace npuscope::diagnose {

namespace {

using compare::Introduced;

constexpr double kImpossible = std::numeric_limits<double>::infinity();
/// Standard deviations by which a share may be off.
constexpr double kShareDeviations = 8;
/// Units that a product with a scale that is rounded itself may be off.
constexpr double kScaledUnits = 4;

std::optional<double> number_at(const NamedValues& values, const char* name) {
    const Value* value = find(values, name);
    const auto* number = value == nullptr ? nullptr : std::get_if<double>(value);
    return number == nullptr ? std::nullopt : std::optional(*number);
}

/// n KL(share, p): infinite where p makes the share impossible.
double surprise(double share, double p, double count) {
    const auto part = [](double a, double b) { return a == 0 ? 0 : a * std::log(a / b); };
    return count * (part(share, p) + part(1 - share, 1 - p));
}

/// How far `hits` of `count` are from what draws of probability p give.
Introduced share_error(double hits, double count, double p, const char* what) {
    Introduced error{.numel = static_cast<int64_t>(count),
                     .arithmetic = "chance",
                     .formula = "8 standard deviations of a share"};
    if (count == 0) return error;
    const double share = hits / count;
    error.relative = std::abs(share - p);
    error.ratio = std::sqrt(2 * std::max(0.0, surprise(share, p, count))) / kShareDeviations;
    if (!(error.ratio > 1)) return error;
    error.over = std::max<int64_t>(1, std::llround(std::abs(hits - count * p)));
    error.told = fmt::format(
        "it {} {:g} of {:g} elements, where its probability is {:g}", what, hits, count, p);
    return error;
}

class Dropout {
  public:
    Dropout(const OpRun& run, const VectorClass& by) : run_(run), by_(by) {
        const Tensor* input = tensor_named(run.wide, "input");
        const auto p = number_at(run.arguments, "p");
        if (input == nullptr || input->dtype() != DType::kFloat64 || !p || !(*p >= 0 && *p <= 1))
            return;
        const Value* train = find(run.arguments, "train");
        const bool* flag = train == nullptr ? nullptr : std::get_if<bool>(train);
        p_ = flag != nullptr && !*flag ? 0 : *p;
        scale_ = p_ == 1 ? 0 : 1 / (1 - p_);
        for (const RecordedResult& result : run.results) {
            if (result.elements.numel() != input->numel()) return;
            (result.name == run.op->schema.results.front().name ? result_ : mask_) =
                &result.elements;
        }
        input_ = input;
    }

    [[nodiscard]] std::vector<std::optional<Introduced>> judged() const {
        std::vector<std::optional<Introduced>> errors(run_.results.size());
        if (input_ == nullptr) return errors;
        for (size_t i = 0; i < errors.size(); ++i) {
            if (&run_.results[i].elements == mask_) {
                errors[i] = share();
            } else {
                errors[i] = products();
                // Without a mask the result shows what was dropped.
                if (mask_ != nullptr || errors[i]->ratio > 1) continue;
                if (const Introduced dropped = share(); dropped.ratio > errors[i]->ratio)
                    errors[i] = dropped;
            }
        }
        return errors;
    }

  private:
    /// Whether the element was kept; empty where nobody can tell.
    [[nodiscard]] std::optional<bool> kept(int64_t index) const {
        if (mask_ != nullptr) return mask_->at(index) != 0;
        if (input_->at(index) == 0) return std::nullopt;
        return result_->at(index) != 0;
    }

    [[nodiscard]] Introduced share() const {
        double dropped = 0;
        double count = 0;
        for (int64_t i = 0; i < input_->numel(); ++i)
            if (const auto is_kept = kept(i)) {
                dropped += *is_kept ? 0 : 1;
                ++count;
            }
        return share_error(dropped, count, p_, "drops");
    }

    [[nodiscard]] Introduced products() const {
        std::vector<double> expected;
        for (int64_t i = 0; i < input_->numel(); ++i) {
            const double value = input_->at(i);
            const bool is_kept = kept(i).value_or(true);
            // Nothing is said of what becomes of a dropped infinity.
            expected.push_back(is_kept                ? value * scale_
                               : std::isfinite(value) ? 0
                                                      : result_->at(i));
        }
        const NumberFormat recorded = format_of(result_->dtype());
        AllowedErrors allowed;
        for (const double value : expected) {
            const double size = std::abs(value);
            const double limit = kScaledUnits * by_.steps.unit() * size + by_.steps.half_unit(0);
            allowed.push_back(size == 0 ? 0
                                        : limit + half_unit(recorded, by_.results, size + limit));
        }
        Introduced error = measure_error(*result_, expected, by_.results, allowed);
        describe(*result_, expected, allowed, error);
        error.arithmetic = by_.name;
        error.formula = fmt::format(
            "{:g} 2^-{} |input mask scale| + half a unit", kScaledUnits, by_.steps.bits);
        if (error.ratio > 1) error.told = wrong_product();
        return error;
    }

    [[nodiscard]] std::string wrong_product() const {
        double products = 0;
        double squares = 0;
        bool clean = true;
        for (int64_t i = 0; i < input_->numel(); ++i) {
            const double value = input_->at(i);
            const double result = result_->at(i);
            if (!kept(i).value_or(false)) clean = clean && !(result != 0);
            if (!kept(i).value_or(false) || !std::isfinite(value) || !std::isfinite(result))
                continue;
            products += value * result;
            squares += value * value;
        }
        if (!clean) return "it is not zero where its mask drops elements";
        const std::string wanted = fmt::format("1 / (1 - p) = {:.6g}", scale_);
        const double scale = squares > 0 ? products / squares : 0;
        return std::abs(scale - scale_) > 1e-3 * scale_
                   ? fmt::format("what it keeps is scaled by {:.6g}, and not by {}", scale, wanted)
                   : fmt::format("what it keeps is not its input times {}", wanted);
    }

    const OpRun& run_;
    const VectorClass& by_;
    const Tensor* input_ = nullptr;  ///< in float64; nullptr: nothing can be said
    const Tensor* result_ = nullptr;
    const Tensor* mask_ = nullptr;
    double p_ = 0;
    double scale_ = 1;
};

/// Zeros and ones; the probability is a number, or one an element.
std::vector<std::optional<Introduced>> judge_trials(const OpRun& run) {
    std::vector<std::optional<Introduced>> errors(run.results.size());
    const Tensor& drawn = run.results.front().elements;
    const Tensor* each = tensor_named(run.wide, "p");
    const auto p = number_at(run.arguments, "p");
    if (each == nullptr && !p) each = tensor_named(run.wide, "self");
    double expected = 0;
    if (p) {
        expected = *p * static_cast<double>(drawn.numel());
    } else if (each != nullptr && each->numel() == drawn.numel()) {
        for (int64_t i = 0; i < each->numel(); ++i)
            expected += each->at(i);
    } else {
        return errors;
    }
    const auto count = static_cast<double>(drawn.numel());
    if (!(expected >= 0 && expected <= count)) return errors;
    double ones = 0;
    int64_t others = 0;
    for (int64_t i = 0; i < drawn.numel(); ++i) {
        ones += drawn.at(i) == 1 ? 1 : 0;
        others += drawn.at(i) != 0 && drawn.at(i) != 1 ? 1 : 0;
    }
    errors.front() = share_error(ones, count, expected / std::max(count, 1.0), "draws 1 for");
    if (others > 0) {
        errors.front()->ratio = kImpossible;
        errors.front()->over = others;
        errors.front()->told =
            fmt::format("{} of {:g} elements are neither 0 nor 1", others, count);
    }
    return errors;
}

}  // namespace

std::vector<std::optional<Introduced>> judge_draws(const OpRun& run, const VectorClass& by) {
    if (run.results.empty()) return {};
    switch (run.op->row->draws) {
        case backend::Draws::kDropout:
            return Dropout(run, by).judged();
        case backend::Draws::kTrials:
            return judge_trials(run);
        default:
            return std::vector<std::optional<Introduced>>(run.results.size());
    }
}

}  // namespace npuscope::diagnose
