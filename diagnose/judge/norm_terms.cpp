#include "diagnose/judge/norm_terms.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "diagnose/judge/hidden_terms.h"
#include "diagnose/judge/number_format.h"

namespace npuscope::diagnose {

namespace {

template <class T>
std::optional<T> argument(const OpRun& run, std::string_view name) {
    const Value* value = find(run.wide, name);
    const auto* found = value == nullptr ? nullptr : std::get_if<T>(value);
    return found == nullptr ? std::nullopt : std::optional(*found);
}

/// How a norm divides its input, in C order: elements of one group share their statistics, those of
/// one channel their weight.
struct Division {
    size_t groups = 0;
    size_t channels = 0;
    size_t area = 1;    ///< elements that follow each other in one channel
    size_t length = 0;  ///< those of one group; 0: the channels are the groups
};

/// Calls f(index, group, channel) for each of `count` elements.
template <class F>
void for_each_element(const Division& by, size_t count, F&& f) {
    size_t channel = 0;
    size_t group = 0;
    size_t in_area = 0;
    size_t in_group = 0;
    for (size_t i = 0; i < count; ++i) {
        f(i, by.length == 0 ? channel : group, channel);
        if (++in_area == by.area) {
            in_area = 0;
            if (++channel == by.channels) channel = 0;
        }
        if (++in_group == by.length) {
            in_group = 0;
            ++group;
        }
    }
}

/// Calls f(first, count, group) for all elements that follow each other in one group.
template <class F>
void for_each_stretch(const Division& by, size_t numel, F&& f) {
    const size_t count = by.length == 0 ? by.area : by.length;
    for (size_t first = 0, group = 0; first < numel; first += count) {
        f(first, std::min(count, numel - first), group);
        if (++group == by.groups) group = 0;
    }
}

std::optional<Division> division_of(const OpRun& run, const Tensor& input) {
    const auto numel = static_cast<size_t>(input.numel());
    if (numel == 0) return std::nullopt;
    // A gradient's division is its norm's.
    std::string norm = run.op->name();
    norm.resize(std::min(norm.size(), norm.find("_backward")));
    if (norm == "native_layer_norm") {
        const auto shape = argument<IntList>(run, "normalized_shape");
        size_t length = 1;
        for (const int64_t size : shape.value_or(IntList{}))
            length *= static_cast<size_t>(size);
        if (length == 0 || numel % length != 0) return std::nullopt;
        return Division{.groups = numel / length, .channels = length, .area = 1, .length = length};
    }
    if (input.ndim() < 2) return std::nullopt;
    const auto channels = static_cast<size_t>(input.dim(1));
    const size_t area = numel / (static_cast<size_t>(input.dim(0)) * channels);
    if (norm == "native_group_norm") {
        const auto groups = static_cast<size_t>(argument<int64_t>(run, "group").value_or(1));
        const size_t length = channels / groups * area;
        return Division{
            .groups = numel / length, .channels = channels, .area = area, .length = length};
    }
    const bool is_batch_norm = norm == "native_batch_norm" || norm == "cudnn_batch_norm";
    const bool is_training =
        argument<bool>(run, "training")
            .value_or(argument<bool>(run, "train").value_or(norm == "cudnn_batch_norm"));
    if (!is_batch_norm || !is_training) return std::nullopt;
    return Division{.groups = channels, .channels = channels, .area = area};
}

struct Statistics {
    double count = 0;
    double mean = 0;
    double variance = 0;
};

std::vector<Statistics> statistics_of(std::span<const double> input, const Division& by) {
    std::vector<Statistics> groups(by.groups);
    for_each_stretch(by, input.size(), [&](size_t first, size_t count, size_t group) {
        groups[group].count += static_cast<double>(count);
        double sum = groups[group].mean;
        for (const double each : input.subspan(first, count))
            sum += each;
        groups[group].mean = sum;
    });
    for (Statistics& each : groups)
        each.mean /= std::max(each.count, 1.0);
    for_each_stretch(by, input.size(), [&](size_t first, size_t count, size_t group) {
        const double mean = groups[group].mean;
        double sum = groups[group].variance;
        for (const double each : input.subspan(first, count))
            sum += (each - mean) * (each - mean);
        groups[group].variance = sum;
    });
    for (Statistics& each : groups)
        each.variance /= std::max(each.count, 1.0);
    return groups;
}

double eps_of(const OpRun& run) {
    return argument<double>(run, "eps").value_or(argument<double>(run, "epsilon").value_or(0));
}

/// The weight by channel; 1 where there is none.
class Scales {
  public:
    Scales(const OpRun& run, const Division& by) : weight_(argument<Tensor>(run, "weight")) {
        if (weight_ && (weight_->dtype() != DType::kFloat64 ||
                        static_cast<size_t>(weight_->numel()) != by.channels))
            weight_.reset();
    }
    [[nodiscard]] double of(size_t channel) const {
        return weight_ ? weight_->as<double>()[channel] : 1;
    }

  private:
    std::optional<Tensor> weight_;
};

/// One over the deviations, as the gradient takes them in; empty where it does not.
std::vector<double> spreads_of(const OpRun& run, const std::vector<Statistics>& groups) {
    for (const std::string_view name : {"rstd", "save_invstd", "save_var"}) {
        const auto found = argument<Tensor>(run, name);
        if (!found || found->dtype() != DType::kFloat64 ||
            static_cast<size_t>(found->numel()) != groups.size())
            continue;
        std::vector<double> spreads;
        for (const double spread : found->as<double>())
            spreads.push_back(std::abs(spread));
        return spreads;
    }
    return {};
}

/// Of the sum of magnitudes, in kFunction units: one after the other, terms of both signs may have
/// come to half of it before they cancel, and each addition rounds that.
double lost_of_partial_sums(size_t added) {
    return std::sqrt(static_cast<double>(added)) / 2 / kFunction;
}

}  // namespace

bool is_norm(const backend::Op& op) {
    return op.name().find("norm") != std::string_view::npos;
}

bool is_gradient_of_norm(const backend::Op& op) {
    return is_norm(op) && op.name().find("backward") != std::string_view::npos;
}

std::vector<double> one_pass_terms(const OpRun& run, const RecordedResult& result) {
    const auto input = argument<Tensor>(run, "input");
    if (!input || input->dtype() != DType::kFloat64) return {};
    const auto by = division_of(run, *input);
    if (!by) return {};
    const std::span<const double> values = input->as<double>();
    const double eps = eps_of(run);
    const std::vector<Statistics> groups = statistics_of(values, *by);
    // Of 1 / sqrt(variance + eps), relative; the errors of the sums walk.
    const auto change = [&](const Statistics& group) {
        const double spread = group.variance + eps;
        const double walk = std::max(1.0, std::sqrt(group.count) / 2);
        return spread > 0 ? walk * group.mean * group.mean / (2 * spread) : 0;
    };
    std::vector<double> factors;
    factors.reserve(groups.size());
    for (const Statistics& group : groups)
        factors.push_back(change(group) / std::sqrt(std::max(group.variance + eps, 1e-300)));
    if (result.name == "result2") return factors;
    if (result.name != "result0") return {};
    const Scales scales(run, *by);
    std::vector<double> terms(values.size());
    for_each_element(*by, values.size(), [&](size_t i, size_t group, size_t channel) {
        terms[i] = factors[group] * std::abs(scales.of(channel) * (values[i] - groups[group].mean));
    });
    return terms;
}

std::vector<double> norm_sizes(const OpRun& run, const RecordedResult& result) {
    constexpr double kOthers = 0.5;
    const auto input = argument<Tensor>(run, "input");
    const bool is_mean = result.name == "result1";
    if ((result.name != "result0" && !is_mean) || is_gradient_of_norm(*run.op) || !input ||
        input->dtype() != DType::kFloat64)
        return {};
    const auto by = division_of(run, *input);
    if (!by) return {};
    const std::span<const double> values = input->as<double>();
    std::vector<double> spreads;
    std::vector<double> sizes;
    for (const Statistics& group : statistics_of(values, *by)) {
        spreads.push_back(1 / std::sqrt(std::max(group.variance + eps_of(run), 1e-300)));
        sizes.push_back(kOthers * std::sqrt(group.variance + group.mean * group.mean));
    }
    if (is_mean) return sizes;
    const Scales scales(run, *by);
    std::vector<double> terms(values.size());
    for_each_element(*by, values.size(), [&](size_t i, size_t group, size_t channel) {
        terms[i] =
            std::abs(scales.of(channel)) * spreads[group] * (std::abs(values[i]) + sizes[group]);
    });
    return terms;
}

std::vector<double> folded_terms(const OpRun& run, const RecordedResult& result) {
    if (!is_gradient_of_norm(*run.op)) return {};
    const auto input = argument<Tensor>(run, "input");
    const auto given = argument<Tensor>(run, "grad_out");
    const auto gradient = given ? given : argument<Tensor>(run, "grad_output");
    if (!input || !gradient || input->dtype() != DType::kFloat64 ||
        gradient->dtype() != DType::kFloat64 || gradient->numel() != input->numel())
        return {};
    const auto by = division_of(run, *input);
    if (!by) return {};
    const std::span<const double> x = input->as<double>();
    const std::span<const double> g = gradient->as<double>();
    const std::vector<Statistics> groups = statistics_of(x, *by);
    const std::vector<double> spreads = spreads_of(run, groups);
    const auto lost = [&](size_t i, size_t group) {
        const double mean = groups[group].mean;
        return std::abs(x[i]) + std::abs(mean) - std::abs(x[i] - mean);
    };
    // Of each of as many sums.
    const auto walk = [&](size_t sums) {
        const double added = static_cast<double>(x.size()) / static_cast<double>(sums);
        return walk_of(added) / added;
    };
    if (spreads.empty()) return {};
    if (result.name == "result1") {
        std::vector<double> terms(by->channels);
        const double partial = lost_of_partial_sums(x.size() / by->channels);
        for_each_element(*by, x.size(), [&](size_t i, size_t group, size_t channel) {
            const double own = std::abs(x[i] - groups[group].mean);
            terms[channel] += (walk(by->channels) * lost(i, group) + partial * own) *
                              std::abs(g[i]) * spreads[group];
        });
        return terms;
    }
    if (result.name != "result0") return {};
    // g w s + b x + c, with b = -s^3 sum(g w (x - mean)) / n.
    const Scales scales(run, *by);
    std::vector<double> slope(groups.size());
    std::vector<double> slope_lost(groups.size());
    for_each_element(*by, x.size(), [&](size_t i, size_t group, size_t channel) {
        const double scaled =
            g[i] * scales.of(channel) * std::pow(spreads[group], 3) / groups[group].count;
        slope[group] += scaled * (x[i] - groups[group].mean);
        slope_lost[group] += walk(groups.size()) * std::abs(scaled) * lost(i, group);
    });
    std::vector<double> terms(x.size());
    for_each_element(*by, x.size(), [&](size_t i, size_t group, size_t /*channel*/) {
        terms[i] = std::abs(slope[group]) * lost(i, group) +
                   slope_lost[group] * std::abs(x[i] - groups[group].mean);
    });
    return terms;
}

std::vector<double> rounded_statistics(const OpRun& run, const RecordedResult& result) {
    const RecordedResult* mean = recorded_result(run, "result1");
    const auto input = argument<Tensor>(run, "input");
    if (result.name != "result0" || mean == nullptr || !input ||
        input->dtype() != DType::kFloat64 || !is_of_16_bits(mean->elements.dtype()))
        return {};
    const auto by = division_of(run, *input);
    if (!by) return {};
    const std::span<const double> values = input->as<double>();
    const std::vector<Statistics> groups = statistics_of(values, *by);
    const double unit = format_of(mean->elements.dtype()).unit();
    const double eps = eps_of(run);
    const Scales scales(run, *by);
    std::vector<double> terms(values.size());
    for_each_element(*by, values.size(), [&](size_t i, size_t group, size_t channel) {
        const Statistics& own = groups[group];
        const double deviation = std::sqrt(std::max(own.variance + eps, 1e-300));
        terms[i] = unit * std::abs(scales.of(channel)) *
                   (std::abs(own.mean) + std::abs(values[i] - own.mean)) / deviation;
    });
    return terms;
}

}  // namespace npuscope::diagnose
