#include "diagnose/judge/chosen_places.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

namespace npuscope::diagnose {

namespace {

/// Half units that two elements may be apart and still change places.
constexpr double kApart = 4;

constexpr auto kOps = std::to_array<std::string_view>({"argmax",
                                                       "argmin",
                                                       "max_dim",
                                                       "min_dim",
                                                       "sort",
                                                       "sort_stable",
                                                       "argsort",
                                                       "topk",
                                                       "kthvalue",
                                                       "median_dim",
                                                       "mode",
                                                       "max_pool2d_with_indices",
                                                       "max_pool3d_with_indices",
                                                       "adaptive_max_pool2d",
                                                       "adaptive_max_pool3d"});

/// How an element of the result finds its row in the input: rows of `count` elements, `stride`
/// apart.
struct Rows {
    int64_t count = 1;
    int64_t stride = 1;
    int64_t result_count = 1;  ///< places of one row in the result
    bool is_pooled = false;    ///< windows overlap

    /// Where the row of the result's element `index` begins in the input.
    [[nodiscard]] int64_t first(int64_t index) const {
        const int64_t outer = index / (result_count * stride);
        return outer * count * stride + index % stride;
    }

    /// Whether some row names one place twice.
    [[nodiscard]] bool repeats(const Tensor& places) const {
        if (result_count < 2 || is_pooled) return false;
        std::set<std::pair<int64_t, int64_t>> seen;
        for (int64_t i = 0; i < places.numel(); ++i)
            if (!seen.emplace(first(i), places.as<int64_t>()[static_cast<size_t>(i)]).second)
                return true;
        return false;
    }
};

std::optional<Rows> rows_of(const OpRun& run, const Tensor& input, const Tensor& places) {
    const bool pooled = run.op->name().find("pool") != std::string::npos;
    if (pooled) {
        const int64_t dims = run.op->name().find("3d") != std::string::npos ? 3 : 2;
        if (input.ndim() < dims || places.ndim() != input.ndim()) return std::nullopt;
        Rows rows{.is_pooled = true};
        for (int64_t axis = input.ndim() - dims; axis < input.ndim(); ++axis) {
            rows.count *= input.dim(axis);
            rows.result_count *= places.dim(axis);
        }
        return rows;
    }
    const Value* value = find(run.wide, "dim");
    const auto* dim = value == nullptr ? nullptr : std::get_if<int64_t>(value);
    if (dim == nullptr) {
        // argmax without dim takes all elements as one row.
        if (places.numel() == 1) return Rows{.count = input.numel()};
        if (input.ndim() == 0) return std::nullopt;
    }
    const int64_t given = dim == nullptr ? -1 : *dim;
    const int64_t axis = given < 0 ? given + input.ndim() : given;
    if (axis < 0 || axis >= input.ndim()) return std::nullopt;
    Rows rows{.count = input.dim(axis)};
    for (int64_t inner = axis + 1; inner < input.ndim(); ++inner)
        rows.stride *= input.dim(inner);
    rows.result_count = places.numel() * rows.count / std::max<int64_t>(input.numel(), 1);
    return rows;
}

}  // namespace

std::optional<bool> are_ties(const OpRun& run,
                             const RecordedResult& result,
                             const Tensor& exact,
                             const NumberFormat& steps) {
    if (std::ranges::find(kOps, run.op->name()) == kOps.end()) return std::nullopt;
    const Tensor* input = tensor_named(run.wide, "self");
    if (input == nullptr || exact.dtype() != DType::kInt64) return std::nullopt;
    const double apart = input->dtype() == DType::kFloat64 ? kApart : 0;  // whole numbers are exact
    const auto rows = rows_of(run, *input, exact);
    if (!rows || rows->result_count < 1) return std::nullopt;
    const Tensor recorded = result.elements.cast(DType::kInt64);
    if (rows->repeats(recorded)) return false;
    const Tensor wide = input->cast(DType::kFloat64);
    const auto elements = wide.as<double>();
    for (int64_t i = 0; i < exact.numel(); ++i) {
        const int64_t ours = exact.as<int64_t>()[static_cast<size_t>(i)];
        const int64_t theirs = recorded.as<int64_t>()[static_cast<size_t>(i)];
        if (ours == theirs) continue;
        if (theirs < 0 || theirs >= rows->count) return false;
        const int64_t first = rows->first(i);
        const double a = elements[static_cast<size_t>(first + ours * rows->stride)];
        const double b = elements[static_cast<size_t>(first + theirs * rows->stride)];
        const bool both_nan = std::isnan(a) && std::isnan(b);
        if (!both_nan && !(std::abs(a - b) <= apart * (steps.half_unit(a) + steps.half_unit(b))))
            return false;
    }
    return true;
}

}  // namespace npuscope::diagnose
