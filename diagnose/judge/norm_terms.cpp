#include "diagnose/judge/norm_terms.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

namespace npuscope::diagnose {

namespace {

template <class T>
std::optional<T> argument(const OpRun& run, std::string_view name) {
    const Value* value = find(run.wide, name);
    const auto* found = value == nullptr ? nullptr : std::get_if<T>(value);
    return found == nullptr ? std::nullopt : std::optional(*found);
}

/// How a norm divides its input: elements of one group share their statistics, those of one channel
/// their weight.
struct Division {
    size_t groups = 0;
    size_t channels = 0;
    std::function<size_t(size_t)> group_of{};
    std::function<size_t(size_t)> channel_of{};
};

std::optional<Division> division_of(const OpRun& run, const Tensor& input) {
    const auto numel = static_cast<size_t>(input.numel());
    if (numel == 0) return std::nullopt;
    if (run.op->name() == "native_layer_norm") {
        const auto shape = argument<IntList>(run, "normalized_shape");
        size_t length = 1;
        for (const int64_t size : shape.value_or(IntList{}))
            length *= static_cast<size_t>(size);
        return Division{numel / length,
                        length,
                        [=](size_t i) { return i / length; },
                        [=](size_t i) { return i % length; }};
    }
    if (input.ndim() < 2) return std::nullopt;
    const auto channels = static_cast<size_t>(input.dim(1));
    const size_t area = numel / (static_cast<size_t>(input.dim(0)) * channels);
    const auto channel_of = [=](size_t i) { return i / area % channels; };
    if (run.op->name() == "native_group_norm") {
        const auto groups = static_cast<size_t>(argument<int64_t>(run, "group").value_or(1));
        const size_t length = channels / groups * area;
        return Division{numel / length, channels, [=](size_t i) { return i / length; }, channel_of};
    }
    const bool is_batch_norm =
        run.op->name() == "native_batch_norm" || run.op->name() == "cudnn_batch_norm";
    if (!is_batch_norm || !argument<bool>(run, "training").value_or(false)) return std::nullopt;
    return Division{channels, channels, channel_of, channel_of};
}

struct Statistics {
    double count = 0;
    double mean = 0;
    double variance = 0;
};

std::vector<Statistics> statistics_of(std::span<const double> input, const Division& by) {
    std::vector<Statistics> groups(by.groups);
    for (size_t i = 0; i < input.size(); ++i) {
        ++groups[by.group_of(i)].count;
        groups[by.group_of(i)].mean += input[i];
    }
    for (Statistics& each : groups)
        each.mean /= std::max(each.count, 1.0);
    for (size_t i = 0; i < input.size(); ++i) {
        Statistics& group = groups[by.group_of(i)];
        group.variance += (input[i] - group.mean) * (input[i] - group.mean) / group.count;
    }
    return groups;
}

}  // namespace

std::vector<double> one_pass_terms(const OpRun& run, const RecordedResult& result) {
    const auto input = argument<Tensor>(run, "input");
    if (!input || input->dtype() != DType::kFloat64) return {};
    const auto by = division_of(run, *input);
    if (!by) return {};
    const std::span<const double> values = input->as<double>();
    const double eps =
        argument<double>(run, "eps").value_or(argument<double>(run, "epsilon").value_or(0));
    const std::vector<Statistics> groups = statistics_of(values, *by);
    // Of 1 / sqrt(variance + eps), relative; the errors of the sums walk.
    const auto change = [&](const Statistics& group) {
        const double spread = group.variance + eps;
        const double walk = std::max(1.0, std::sqrt(group.count) / 2);
        return spread > 0 ? walk * group.mean * group.mean / (2 * spread) : 0;
    };
    std::vector<double> terms;
    if (result.name == "result2")
        for (const Statistics& group : groups)
            terms.push_back(change(group) / std::sqrt(std::max(group.variance + eps, 1e-300)));
    if (result.name != "result0") return terms;
    const auto weight = argument<Tensor>(run, "weight");
    const bool is_weighted = weight && weight->dtype() == DType::kFloat64 &&
                             static_cast<size_t>(weight->numel()) == by->channels;
    for (size_t i = 0; i < values.size(); ++i) {
        const Statistics& group = groups[by->group_of(i)];
        const double spread = std::sqrt(std::max(group.variance + eps, 1e-300));
        const double scale = is_weighted ? std::abs(weight->as<double>()[by->channel_of(i)]) : 1;
        terms.push_back(change(group) * scale * std::abs(values[i] - group.mean) / spread);
    }
    return terms;
}

}  // namespace npuscope::diagnose
