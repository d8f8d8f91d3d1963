#include "compare/growth/cancelled_sums.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "compare/growth/bits_in_use.h"
#include "compare/relate/dot_products.h"
#include "core/base/error.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// What is summed was made so many ops before at most.
constexpr size_t kOpsBack = 24;
/// Larger ones are not looked at: several are kept at a time.
constexpr int64_t kMostAddends = int64_t{1} << 22;
/// Of the norm: what both sides sum is the same in other arithmetic.
constexpr double kNearAddends = 0.1;
/// Half a unit of float32, and how many of them a sum of few numbers may be off by.
constexpr double kHalfUnit = 0x1p-24;
constexpr double kFewUnits = 4;

/// A tensor as [outer, kept, inner]: `kept` are the places of the sum.
struct Axes {
    int64_t outer = 1;
    int64_t kept = 1;
    int64_t inner = 1;
};

/// The ways in which axes in a row of a shape hold so many elements.
std::vector<Axes> axes_of(const Shape& shape, int64_t kept) {
    std::vector<Axes> found;
    const auto product = [&](size_t begin, size_t end) {
        return std::accumulate(shape.begin() + static_cast<ptrdiff_t>(begin),
                               shape.begin() + static_cast<ptrdiff_t>(end),
                               int64_t{1},
                               std::multiplies<>());
    };
    for (size_t begin = 0; begin < shape.size(); ++begin)
        for (size_t end = begin + 1; end <= shape.size(); ++end)
            if (shape[begin] > 1 && shape[end - 1] > 1 && product(begin, end) == kept)
                found.push_back({product(0, begin), kept, product(end, shape.size())});
    return found;
}

struct Addends {
    std::string path;
    Tensor numbers;  ///< in float64
};

/// Whether `sum` is what the numbers sum to, as far as a sum of floats tells, and rounded to so
/// many bits.
bool is_sum_of(std::span<const double> numbers,
               const Axes& axes,
               std::span<const double> sum,
               int bits) {
    std::vector<double> total(sum.size(), 0);
    std::vector<double> magnitude(sum.size(), 0);
    size_t at = 0;
    for (int64_t outer = 0; outer < axes.outer; ++outer)
        for (size_t kept = 0; kept < sum.size(); ++kept)
            for (int64_t inner = 0; inner < axes.inner; ++inner, ++at) {
                total[kept] += numbers[at];
                magnitude[kept] += std::abs(numbers[at]);
            }
    const double steps = kFewUnits + std::sqrt(static_cast<double>(axes.outer * axes.inner));
    const double unit = std::ldexp(1.0, -bits);
    for (size_t i = 0; i < sum.size(); ++i)
        if (!(std::abs(total[i] - sum[i]) <=
              steps * kHalfUnit * magnitude[i] + unit * std::abs(sum[i])))
            return false;
    return true;
}

/// The results before the op, of its side, that sum to `sum`: what is rounding alone many do.
std::vector<Addends> addends_of(const Source& source,
                                const SourceOp& op,
                                std::span<const double> sum,
                                int bits) {
    const auto kept = static_cast<int64_t>(sum.size());
    const auto own = static_cast<size_t>(&op - source.ops.data());
    std::vector<Addends> found;
    for (size_t back = 1; back <= std::min(own, kOpsBack); ++back)
        for (const SourceTensor& tensor : source.ops[own - back].load()) {
            const auto dtype = dtype_from_name(tensor.dtype);
            if (tensor.direction != Direction::kOutput || !tensor.open || !dtype ||
                !is_float(*dtype) || numel_of(tensor.shape) <= kept ||
                numel_of(tensor.shape) > kMostAddends)
                continue;
            const std::vector<Axes> ways = axes_of(tensor.shape, kept);
            if (ways.empty()) continue;
            Tensor numbers = tensor.open()->whole().cast(DType::kFloat64);
            if (std::ranges::any_of(ways, [&](const Axes& axes) {
                    return is_sum_of(numbers.as<double>(), axes, sum, bits);
                }))
                found.push_back({tensor.path, std::move(numbers)});
        }
    return found;
}

/// Whether they are near each other, but for a factor that a loss was multiplied by.
bool are_near(const Tensor& target, const Tensor& golden) {
    if (target.numel() != golden.numel()) return false;
    const DotProducts products = dot_products(target.as<double>(), golden.as<double>());
    return products.are_multiples(1 - kNearAddends * kNearAddends);
}

const SourceTensor* at_path(const std::vector<SourceTensor>& tensors, const std::string& path) {
    const auto found = std::ranges::find(tensors, path, &SourceTensor::path);
    return found == tensors.end() || !found->open ? nullptr : &*found;
}

}  // namespace

bool judge_cancelled_sum(const PairedFlows& flows, const MeasuredRun& run) {
    const OpPair& pair = flows.plan().ops[run.place];
    if (pair.target == nullptr || pair.golden == nullptr || run.is_input) return false;
    try {
        const std::vector<SourceTensor> ours = pair.target->load();
        const std::vector<SourceTensor> theirs = pair.golden->load();
        const SourceTensor* own = at_path(ours, run.tensor->target);
        const SourceTensor* other = at_path(theirs, run.tensor->golden);
        if (own == nullptr || other == nullptr) return false;
        const Tensor target = own->open()->whole().cast(DType::kFloat64);
        const Tensor golden = other->open()->whole().cast(DType::kFloat64);
        if (target.numel() != golden.numel() || target.numel() < 2) return false;
        const std::vector<Addends> in_golden = addends_of(
            flows.golden().source, *pair.golden, golden.as<double>(), bits_in_use(*other->open()));
        if (in_golden.empty()) return false;
        const std::vector<Addends> in_target = addends_of(
            flows.target().source, *pair.target, target.as<double>(), bits_in_use(*own->open()));
        const auto summed = std::ranges::find_if(in_target, [&](const Addends& mine) {
            return std::ranges::any_of(
                in_golden, [&](const Addends& its) { return are_near(mine.numbers, its.numbers); });
        });
        if (summed == in_target.end()) return false;
        run.tensor->judgement.verdict = Verdict::kInherited;
        run.tensor->judgement.rule = fmt::format(
            "off by {:.2g} of the norm; it is what {} sums to, and little is left of it",
            run.out.norm,
            summed->path);
        return true;
    } catch (const Error&) {
        // What cannot be read is told where it is measured.
        return false;
    }
}

}  // namespace npuscope::compare
