#include "diagnose/judge/replay_distance.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "compare/relate/arrangements.h"
#include "diagnose/judge/number_format.h"

namespace npuscope::diagnose {

namespace {

/// A mask in place of minus infinity, after what is masked was added.
constexpr double kMasked = -9e3;

/// So many times the choices that disturbed numbers turn may be turned; and so many more of many.
constexpr double kTurned = 4;
constexpr int64_t kTurnedByChance = 2;
constexpr int64_t kManyChoices = 100;

/// Elements that tell first whether two tensors are surely apart.
constexpr size_t kSampled = 256;

/// Ways to arrange axes that are tried.
constexpr size_t kArrangements = 64;

/// Of a tensor whose axis `axis` counts two things, the other one first: the rows of a batch of
/// sequences, which one program has by sequence and the other by step. `inner` is what the axis
/// counts fastest.
compare::View counted_otherwise(const Shape& shape, size_t axis, int64_t inner) {
    const std::vector<int64_t> strides = contiguous_strides(shape);
    compare::View view{.shape = shape, .source_numel = numel_of(shape)};
    for (size_t i = 0; i < shape.size(); ++i) {
        if (i == axis) {
            view.loops.push_back({.extent = inner, .stride = strides[i]});
            view.loops.push_back({.extent = shape[i] / inner, .stride = strides[i] * inner});
        } else {
            view.loops.push_back({.extent = shape[i], .stride = strides[i]});
        }
    }
    return view;
}

/// Whether some elements of the view alone are further off than `most`, which the whole may be.
bool is_surely_apart(const compare::View& view,
                     std::span<const double> from,
                     std::span<const double> shown,
                     double most) {
    const size_t step = std::max<size_t>(shown.size() / kSampled, 1);
    double squares = 0;
    for (size_t i = 0; i < shown.size(); i += step) {
        const double x =
            from[static_cast<size_t>(compare::place_in_source(view, static_cast<int64_t>(i)))];
        if (x <= kMasked && shown[i] <= kMasked) continue;
        const double off = x - shown[i];
        if (std::isfinite(off)) squares += off * off;
        if (squares > most * most) return true;
    }
    return false;
}

}  // namespace

Distance distance(const Tensor& one, const Tensor& other) {
    const Tensor a = one.cast(DType::kFloat64);
    const Tensor b = other.cast(DType::kFloat64);
    double squares = 0;
    double size = 0;
    for (size_t i = 0; i < a.as<double>().size(); ++i) {
        const double x = a.as<double>()[i];
        const double y = b.as<double>()[i];
        if (x <= kMasked && y <= kMasked) continue;
        if (x == y || (std::isnan(x) && std::isnan(y))) {
            if (std::isfinite(y)) size += y * y;
            continue;
        }
        squares += (x - y) * (x - y);
        if (std::isfinite(y)) size += y * y;
    }
    if (std::isnan(squares)) squares = std::numeric_limits<double>::infinity();
    return {std::sqrt(squares), std::sqrt(size)};
}

double share_of_others(const Tensor& one, const Tensor& other) {
    const Tensor a = one.cast(DType::kFloat64);
    const Tensor b = other.cast(DType::kFloat64);
    const auto x = a.as<double>();
    const auto y = b.as<double>();
    size_t others = 0;
    for (size_t i = 0; i < x.size(); ++i)
        others += x[i] == y[i] ? 0 : 1;
    return x.empty() ? 0 : static_cast<double>(others) / static_cast<double>(x.size());
}

double share_turned(const Tensor& disturbed, const Tensor& plain, double unit) {
    const double share = share_of_others(disturbed, plain);
    const int64_t choices = plain.numel();
    if (unit <= kFloat32.unit() || (share == 0 && choices < kManyChoices)) return kTurned * share;
    return kTurned * share + static_cast<double>(kTurnedByChance) / static_cast<double>(choices);
}

std::optional<compare::View> arrangement_within(const Tensor& from,
                                                const Tensor& shown,
                                                double allowed) {
    const Tensor wide_from = from.cast(DType::kFloat64);
    const Tensor wide_shown = shown.cast(DType::kFloat64);
    const double most = allowed * distance(wide_shown, wide_shown).size;
    const auto shows = [&](const compare::View& view) {
        return !is_surely_apart(view, wide_from.as<double>(), wide_shown.as<double>(), most) &&
               distance(compare::apply(view, wide_from), wide_shown).relative() <= allowed;
    };
    for (compare::View& view : compare::arrangements(from.shape(), shown.shape(), kArrangements))
        if (shows(view)) return std::move(view);
    if (from.shape() != shown.shape()) return std::nullopt;
    for (size_t axis = 0; axis < from.shape().size(); ++axis)
        for (int64_t inner = 2; inner <= from.shape()[axis] / 2; ++inner) {
            if (from.shape()[axis] % inner != 0) continue;
            compare::View view = counted_otherwise(from.shape(), axis, inner);
            if (shows(view)) return view;
        }
    return std::nullopt;
}

namespace {

/// The first stretch of `axis` that holds it; of a place on it, `shape` has extent 1 there.
std::optional<compare::View> slice_of_axis(const Tensor& from,
                                           const Tensor& shown,
                                           const Shape& shape,
                                           size_t axis) {
    const std::vector<int64_t> strides = contiguous_strides(from.shape());
    compare::View view{.shape = shown.shape(), .source_numel = from.numel()};
    for (size_t i = 0; i < shape.size(); ++i)
        view.loops.push_back({.extent = shape[i], .stride = strides[i]});
    for (int64_t first = 0; first + shape[axis] <= from.shape()[axis]; ++first) {
        view.offset = first * strides[axis];
        if (distance(compare::apply(view, from), shown).difference == 0) return view;
    }
    return std::nullopt;
}

}  // namespace

std::optional<compare::View> slice_equal_to(const Tensor& from, const Tensor& shown) {
    const Shape& whole = from.shape();
    for (size_t axis = 0; axis < whole.size(); ++axis) {
        Shape shape = shown.shape();
        if (shape.size() + 1 == whole.size())
            shape.insert(shape.begin() + static_cast<ptrdiff_t>(axis), 1);
        if (shape.size() != whole.size() || shape[axis] >= whole[axis]) continue;
        Shape rest = whole;
        rest[axis] = shape[axis];
        if (rest != shape) continue;
        if (auto view = slice_of_axis(from, shown, shape, axis)) return view;
    }
    return std::nullopt;
}

}  // namespace npuscope::diagnose
