#include "core/tensor/difference.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"

namespace npuscope {

namespace {

constexpr int64_t kPiece = 8192;

void read_tile(const Tensor& tensor, int64_t first, int64_t count, double* target) {
    convert_elements(tensor.data() + static_cast<size_t>(first) * size_of(tensor.dtype()),
                     tensor.dtype(),
                     target,
                     DType::kFloat64,
                     static_cast<size_t>(count));
}

void add(Difference& found, double a, double b) {
    if (std::isfinite(b)) found.largest = std::max(found.largest, std::abs(b));
    if (a == b || (std::isnan(a) && std::isnan(b))) return;
    ++found.unequal;
    const double step = std::abs(a - b);
    found.max_abs =
        std::isnan(step) ? std::numeric_limits<double>::infinity() : std::max(found.max_abs, step);
}

}  // namespace

Difference difference(const Tensor& a, const Tensor& b) {
    if (a.shape() != b.shape())
        throw Error(ErrorKind::kInternal,
                    "tensors of " + to_string(a.shape()) + " and " + to_string(b.shape()) +
                        " have no difference");
    Difference found;
    std::vector<double> left(kPiece);
    std::vector<double> right(kPiece);
    for (int64_t first = 0; first < a.numel(); first += kPiece) {
        const int64_t count = std::min(kPiece, a.numel() - first);
        read_tile(a, first, count, left.data());
        read_tile(b, first, count, right.data());
        for (size_t i = 0; i < static_cast<size_t>(count); ++i)
            add(found, left[i], right[i]);
    }
    return found;
}

}  // namespace npuscope
