#include "compare/growth/bias_apart.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "compare/growth/elements_of_pair.h"
#include "core/base/error.h"
#include "core/naming/backward.h"

namespace npuscope::compare {

namespace {

struct Bias {
    std::string path;
    Tensor values;  ///< float64
};

/// The vectors that nobody computed and the op takes in.
std::vector<Bias> biases_of(const SourceOp& op, const SideDistances& side) {
    std::vector<Bias> found;
    for (const SourceTensor& tensor : op.load()) {
        const bool is_vector =
            std::ranges::count_if(tensor.shape, [](int64_t n) { return n > 1; }) == 1;
        if (tensor.direction != dumpfile::Direction::kInput || !is_vector || !tensor.open ||
            side.maker_of(tensor.path) != nullptr)
            continue;
        found.push_back({tensor.path, tensor.open()->whole().cast(DType::kFloat64)});
    }
    return found;
}

double norm_of(std::span<const double> values) {
    double sum = 0;
    for (const double value : values)
        sum += value * value;
    return std::sqrt(sum);
}

/// Elements by their place along one axis.
struct Along {
    Along(std::span<const double> all, const Shape& shape, size_t axis)
        : values(all), extent(static_cast<size_t>(shape[axis])) {
        for (size_t i = axis + 1; i < shape.size(); ++i)
            inner *= static_cast<size_t>(shape[i]);
    }

    [[nodiscard]] size_t place_of(size_t i) const { return i / inner % extent; }

    /// How many elements each place has.
    [[nodiscard]] double repeats() const {
        return static_cast<double>(values.size()) / static_cast<double>(extent);
    }

    [[nodiscard]] std::vector<double> means() const {
        std::vector<double> means(extent, 0.0);
        for (size_t i = 0; i < values.size(); ++i)
            means[place_of(i)] += values[i];
        for (double& mean : means)
            mean /= repeats();
        return means;
    }

    /// How far the elements are from `means`, in the Euclidean norm.
    [[nodiscard]] double distance_from(std::span<const double> means) const {
        double sum = 0;
        for (size_t i = 0; i < values.size(); ++i) {
            const double off = values[i] - means[place_of(i)];
            sum += off * off;
        }
        return std::sqrt(sum);
    }

    std::span<const double> values;
    size_t extent;
    size_t inner = 1;
};

/// Whether `means` stand in the bias, as those of what is fused do, each off by `least` at most.
bool stand_in(std::span<const double> means, std::span<const double> bias, double least) {
    for (size_t first = 0; first + means.size() <= bias.size(); ++first) {
        double sum = 0;
        for (size_t i = 0; i < means.size(); ++i) {
            const double off = means[i] - bias[first + i];
            sum += off * off;
        }
        if (std::sqrt(sum) <= least) return true;
    }
    return false;
}

/// Which of the biases the elements are, repeated along all axes but one; `limit` is what they may
/// be off by in the Euclidean norm.
std::optional<std::string> repeated_bias(std::span<const double> values,
                                         const Shape& shape,
                                         const std::vector<Bias>& biases,
                                         double limit) {
    for (size_t axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis] < 2 || static_cast<size_t>(shape[axis]) == values.size()) continue;
        const Along along(values, shape, axis);
        const std::vector<double> means = along.means();
        if (along.distance_from(means) > limit) continue;
        for (const Bias& bias : biases)
            if (stand_in(means, bias.values.as<double>(), limit / std::sqrt(along.repeats())))
                return bias.path;
    }
    return std::nullopt;
}

/// By an op of the forward pass: gradients take in what was kept for them.
bool is_taken_in(const std::string& path, const SideDistances& side) {
    return std::ranges::any_of(side.users_of(path),
                               [](const SourceOp* op) { return !is_backward(op->id.op); });
}

}  // namespace

std::string bias_apart(const OpPair& pair,
                       const MeasuredRun& run,
                       double noise,
                       const SideDistances& target,
                       const SideDistances& golden) {
    if (run.is_input || run.in_any_order) return "";
    try {
        const std::vector<Bias> mine = biases_of(*pair.target, target);
        const std::vector<Bias> theirs = biases_of(*pair.golden, golden);
        if (mine.empty() == theirs.empty()) return "";
        const bool is_mine = theirs.empty();
        const std::string& bare = is_mine ? run.tensor->golden : run.tensor->target;
        if (is_taken_in(bare, is_mine ? golden : target)) return "";
        const auto elements = elements_of(pair, *run.tensor);
        if (!elements) return "";
        const auto one = (is_mine ? elements->target : elements->golden).as<double>();
        const auto other = (is_mine ? elements->golden : elements->target).as<double>();
        std::vector<double> off(one.size());
        std::ranges::transform(one, other, off.begin(), std::minus());
        const auto path = repeated_bias(off,
                                        elements->golden.shape(),
                                        is_mine ? mine : theirs,
                                        noise * norm_of(elements->golden.as<double>()));
        if (!path) return "";
        return fmt::format(
            "it differs by {} alone, and nothing that was recorded takes in {}", *path, bare);
    } catch (const Error&) {
        return "";
    }
}

}  // namespace npuscope::compare
