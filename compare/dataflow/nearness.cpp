#include "compare/dataflow/nearness.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "compare/dataflow/content.h"
#include "core/base/error.h"
#include "core/dtype/dtype.h"

namespace npuscope::compare {

namespace {

constexpr int64_t kRuns = 16;
constexpr int64_t kRunLength = 256;

std::vector<double> read(const ElementSource& source, int64_t first, int64_t count) {
    std::vector<std::byte> buffer;
    const std::byte* bytes = source.range(first, count, buffer);
    std::vector<double> values(static_cast<size_t>(count));
    visit_dtype(source.dtype(), [&]<class T>() {
        for (size_t i = 0; i < values.size(); ++i) {
            T value;
            std::memcpy(&value, bytes + i * sizeof(T), sizeof(T));
            values[i] = to_double(value);
        }
    });
    return values;
}

struct Squares {
    double off = 0;
    double size = 0;
    double sum = 0;  ///< of the other's finite elements
    int64_t count = 0;

    void add(std::span<const double> one, std::span<const double> other) {
        for (size_t i = 0; i < one.size(); ++i) {
            if (std::isfinite(other[i])) {
                sum += other[i];
                ++count;
            }
            if (one[i] == other[i] || (std::isnan(one[i]) && std::isnan(other[i]))) {
                if (std::isfinite(other[i])) size += other[i] * other[i];
            } else if (std::isfinite(one[i]) && std::isfinite(other[i])) {
                off += (one[i] - other[i]) * (one[i] - other[i]);
                size += other[i] * other[i];
            } else {
                off = std::numeric_limits<double>::infinity();
            }
        }
    }

    [[nodiscard]] double relative(Beside beside) const {
        double scale = size;
        if (beside == Beside::kSpread && count > 0) scale -= sum * sum / static_cast<double>(count);
        return scale > 0 ? std::sqrt(off / scale) : std::sqrt(off);
    }
};

std::vector<double> wide(const Tensor& tensor) {
    const Tensor cast = tensor.cast(DType::kFloat64);
    const auto values = cast.as<double>();
    return {values.begin(), values.end()};
}

}  // namespace

double sampled_distance(const ElementSource& one, const ElementSource& other, Beside beside) {
    const int64_t numel = one.numel();
    if (numel != other.numel()) return std::numeric_limits<double>::infinity();
    Squares squares;
    const int64_t step = std::max(kRunLength, numel / kRuns);
    for (int64_t first = 0; first < numel; first += step) {
        const int64_t count = std::min(kRunLength, numel - first);
        squares.add(read(one, first, count), read(other, first, count));
    }
    return squares.relative(beside);
}

double distance_of(const Tensor& one, const Tensor& other) {
    if (one.numel() != other.numel()) return std::numeric_limits<double>::infinity();
    Squares squares;
    squares.add(wide(one), wide(other));
    return squares.relative(Beside::kSize);
}

double distance_before(const PairedFlows& flows, size_t target_op) {
    double largest = 0;
    const Dataflow& flow = flows.golden().flow;
    for (size_t i = 0; i < flow.tensors.size(); ++i) {
        const auto partner = flows.partner_of(i);
        if (flow.tensors[i].direction != dumpfile::Direction::kOutput || !partner) continue;
        const TracedTensor& mine = flows.target().tensor(*partner);
        const auto dtype = dtype_from_name(flow.tensors[i].dtype);
        // Which of nearly equal elements was chosen tells no distance.
        if (dtype && !is_float(*dtype)) continue;
        if (mine.op >= target_op || !mine.content || !flow.tensors[i].content ||
            same_content(*mine.content, *flow.tensors[i].content))
            continue;
        try {
            const auto one = open_traced(flows.target().source, flows.target().flow, *partner);
            const auto other = open_traced(flows.golden().source, flow, i);
            largest = std::max(largest, sampled_distance(*one, *other));
        } catch (const Error&) {
            return std::numeric_limits<double>::infinity();
        }
    }
    return largest;
}

}  // namespace npuscope::compare
