#include "compare/growth/any_order.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace npuscope::compare {

namespace {

/// The finite elements in the order of their size.
std::vector<double> sorted(const SourceTensor& tensor) {
    const Tensor all = tensor.open()->whole().cast(DType::kFloat64);
    std::vector<double> elements;
    std::ranges::copy_if(all.as<double>(), std::back_inserter(elements), [](double value) {
        return std::isfinite(value);
    });
    std::ranges::sort(elements);
    return elements;
}

}  // namespace

std::optional<double> distance_in_any_order(const SourceTensor& target,
                                            const SourceTensor& golden) {
    if (!target.open || !golden.open || numel_of(target.shape) != numel_of(golden.shape) ||
        numel_of(target.shape) == 0)
        return std::nullopt;
    const std::vector<double> mine = sorted(target);
    const std::vector<double> theirs = sorted(golden);
    if (mine.size() != theirs.size()) return std::numeric_limits<double>::infinity();
    double off = 0;
    double size = 0;
    for (size_t i = 0; i < mine.size(); ++i) {
        off += (mine[i] - theirs[i]) * (mine[i] - theirs[i]);
        size += theirs[i] * theirs[i];
    }
    if (off == 0) return 0;
    return size > 0 ? std::sqrt(off / size) : std::numeric_limits<double>::infinity();
}

}  // namespace npuscope::compare
