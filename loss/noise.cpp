#include "loss/noise.h"

#include <algorithm>
#include <cmath>

namespace npuscope::loss {

double median(std::vector<double> values) {
    std::erase_if(values, [](double value) { return !std::isfinite(value); });
    if (values.empty()) return 0;
    const size_t half = values.size() / 2;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(half);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return 0.5 * (*middle + *std::max_element(values.begin(), middle));
}

double step_noise(std::span<const double> values) {
    std::vector<double> bends;
    for (size_t i = 1; i + 1 < values.size(); ++i) {
        const double bend = values[i - 1] - 2 * values[i] + values[i + 1];
        if (std::isfinite(bend)) bends.push_back(std::abs(bend));
    }
    return 1.4826 * median(std::move(bends)) / std::sqrt(6.0);
}

BlockMean block_mean(std::span<const double> values, size_t blocks) {
    BlockMean result;
    if (values.empty() || blocks == 0) return result;
    blocks = std::min(blocks, values.size());
    std::vector<double> means;
    for (size_t k = 0; k < blocks; ++k) {
        const size_t begin = values.size() * k / blocks;
        const size_t end = values.size() * (k + 1) / blocks;
        double sum = 0;
        for (size_t i = begin; i < end; ++i)
            sum += values[i];
        means.push_back(sum / static_cast<double>(end - begin));
    }
    for (const double mean : means)
        result.mean += mean / static_cast<double>(means.size());
    if (means.size() < 2) return result;
    double squares = 0;
    for (const double mean : means)
        squares += (mean - result.mean) * (mean - result.mean);
    const auto count = static_cast<double>(means.size());
    result.error = std::sqrt(squares / (count - 1) / count);
    return result;
}

}  // namespace npuscope::loss
