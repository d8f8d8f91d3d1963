#include "compare/programs/wrong_casts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "compare/dataflow/seen_through.h"
#include "core/base/error.h"
#include "core/dtype/dtype.h"
#include "core/naming/casts.h"
#include "core/parallel/parallel_for.h"
#include "core/tensor/tensor.h"

namespace npuscope::compare {

namespace {

/// Elements that a kind of rounding does not explain.
struct Changed {
    int64_t count = 0;
    int64_t first = 0;
    double most = 0;     ///< |result - input|
    double largest = 0;  ///< |input|
};

/// Numbers of a format: its dtype, a unit in the last place relative to the number, the largest
/// number, and below which one it may give 0.
struct Grid {
    DType dtype;
    double unit;
    double largest;
    double smallest;
};

constexpr std::array kGrids = {
    Grid{DType::kFloat32, 0x1p-23, 0x1.fffffep127, 0x1p-126},
    Grid{DType::kFloat16, 0x1p-10, 65504, 0x1p-14},
    Grid{DType::kBFloat16, 0x1p-7, 0x1.fep127, 0x1p-126},
};

bool is_rounded(double value, double input, const Grid& grid) {
    if (value == input || (std::isnan(value) && std::isnan(input))) return true;
    const double size = std::abs(input);
    if (size > grid.largest * (1 - grid.unit))
        return std::isinf(value) || std::isnan(input) ||
               std::abs(value) >= grid.largest * (1 - grid.unit);
    // Below its smallest normal number a format has fewer bits, or none.
    return (value == 0 && size < grid.smallest) ||
           std::abs(value - input) <= grid.unit * std::max(size, grid.smallest);
}

/// Both in float64.
Changed changed_by(const Tensor& result, const Tensor& input, const Grid& grid) {
    const Tensor narrow = result.cast(grid.dtype).cast(DType::kFloat64);
    const std::span<const double> values = result.as<double>();
    const std::span<const double> inputs = input.as<double>();
    const std::span<const double> numbers = narrow.as<double>();
    Changed changed;
    for (size_t i = 0; i < values.size(); ++i) {
        const double value = values[i];
        const double own = inputs[i];
        if (std::isfinite(own)) changed.largest = std::max(changed.largest, std::abs(own));
        const bool is_on_grid = numbers[i] == value || std::isnan(value);
        if (is_on_grid && is_rounded(value, own, grid)) continue;
        if (changed.count++ == 0) changed.first = static_cast<int64_t>(i);
        changed.most = std::max(changed.most, std::abs(value - own));
    }
    return changed;
}

bool is_of_16_bits(DType dtype) {
    return dtype == DType::kFloat16 || dtype == DType::kBFloat16;
}

/// Whether the result may hold the input in that format: where neither has 16 bits in any, as
/// recorders widen some; what is widened is not rounded.
bool may_hold(DType result, DType input, const Grid& grid) {
    if (is_of_16_bits(result)) return grid.dtype == result;
    return !is_of_16_bits(input) || grid.dtype == DType::kFloat32;
}

bool is_floating(const TracedTensor& tensor) {
    const auto dtype = dtype_from_name(tensor.dtype);
    return dtype && is_float(*dtype);
}

/// What is wrong with a cast; "" of what only copies or rounds, and where nobody can tell.
std::string fault_of(const Side& side, const SourceOp& cast) {
    if (!is_copy(cast.id.op)) return {};
    for (const TracedTensor& result : side.of_op(cast)) {
        if (result.direction != dumpfile::Direction::kOutput || !result.content) continue;
        const TracedTensor* input = given_to(side, result);
        if (input == nullptr || !is_floating(*input) || !is_floating(result)) continue;
        // Private formats are the same elements in another order.
        const bool is_same = cast.id.op.ends_with("format_cast")
                                 ? input->content->bag == result.content->bag
                                 : input->content->sequence == result.content->sequence;
        if (is_same || result.content->constant) continue;
        const auto open = [&](const TracedTensor& tensor) {
            return open_traced(side.source,
                               side.flow,
                               static_cast<size_t>(&tensor - side.flow.tensors.data()))
                ->whole()
                .cast(DType::kFloat64);
        };
        const Tensor given = open(*input);
        const Tensor made = open(result);
        std::optional<Changed> least;
        const DType before = dtype_from_name(input->dtype).value_or(DType::kFloat32);
        const DType after = dtype_from_name(result.dtype).value_or(DType::kFloat32);
        for (const Grid& grid : kGrids) {
            if (!may_hold(after, before, grid)) continue;
            const Changed changed = changed_by(made, given, grid);
            if (!least || changed.count < least->count) least = changed;
            if (least->count == 0) return {};
        }
        const int64_t i = least->first;
        return fmt::format(
            "{}: {} of {} elements are not those of `{}`, nor these rounded: max|difference| "
            "{:.2g} of max|x|; [{}] is {:.6g}, given was {:.6g}",
            result.argument,
            least->count,
            made.numel(),
            input->argument,
            least->largest > 0 ? least->most / least->largest : least->most,
            i,
            made.at(i),
            given.at(i));
    }
    return {};
}

}  // namespace

bool take_wrong_casts(const Side& target, int threads, Plan& plan) {
    std::vector<std::string> faults(plan.casts.size());
    parallel_for(static_cast<int64_t>(faults.size()), threads, [&](int64_t index) {
        const OpPair& cast = plan.casts[static_cast<size_t>(index)];
        if (cast.target == nullptr) return;
        try {
            faults[static_cast<size_t>(index)] = fault_of(target, *cast.target);
        } catch (const Error&) {
            // What cannot be read is told by the ops that read it.
        }
    });
    std::vector<OpPair> rest;
    bool any = false;
    for (size_t i = 0; i < faults.size(); ++i) {
        OpPair& cast = plan.casts[i];
        if (faults[i].empty()) {
            rest.push_back(std::move(cast));
            continue;
        }
        any = true;
        cast.fault = std::move(faults[i]);
        const auto behind = std::ranges::find_if(plan.ops, [&](const OpPair& pair) {
            return pair.target == nullptr || pair.target > cast.target;
        });
        plan.ops.insert(behind, std::move(cast));
    }
    plan.casts = std::move(rest);
    return any;
}

}  // namespace npuscope::compare
