#include "diagnose/judge/block_of_product.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "diagnose/judge/evenly.h"
#include "diagnose/judge/gather.h"
#include "diagnose/judge/rounded_operands.h"

namespace npuscope::diagnose {

namespace {

/// Elements of the second operand from which on it costs to read all of it.
constexpr int64_t kCostly = int64_t{1} << 18;
/// Of a result that is not at least so many times as large, a block is no saving.
constexpr int64_t kTimes = 2;

struct Operands {
    const NamedValue* first = nullptr;
    const NamedValue* second = nullptr;
    const NamedValue* bias = nullptr;  ///< nullptr without one
};

const Tensor& tensor_in(const NamedValue& argument) {
    return std::get<Tensor>(argument.value);
}

/// Whether it is repeated to the result's shape, a matrix's. A file may hold anything.
bool is_repeated_to(const Tensor& result, const Tensor& bias) {
    const auto fits = [](int64_t own, int64_t wanted) { return own == 1 || own == wanted; };
    return bias.ndim() <= 2 && (bias.ndim() < 1 || fits(bias.dim(-1), result.dim(1))) &&
           (bias.ndim() < 2 || fits(bias.dim(0), result.dim(0)));
}

/// Empty where the run is no product of two matrices.
std::optional<Operands> operands_of(const OpRun& run) {
    if (kind_of(*run.op) != OpKind::kProduct || run.results.size() != 1 || has_ignored(run))
        return std::nullopt;
    Operands found;
    for (const NamedValue& argument : run.arguments) {
        if (!std::holds_alternative<Tensor>(argument.value)) continue;
        if (is_bias(*run.op, argument.name))
            found.bias = &argument;
        else if (found.first == nullptr)
            found.first = &argument;
        else if (found.second == nullptr)
            found.second = &argument;
        else
            return std::nullopt;
    }
    if (found.second == nullptr) return std::nullopt;
    const Tensor& result = run.results.front().elements;
    const Tensor& first = tensor_in(*found.first);
    const Tensor& second = tensor_in(*found.second);
    const bool fits = result.ndim() == 2 && first.ndim() == 2 && second.ndim() == 2 &&
                      first.dim(1) == second.dim(0) && first.dim(0) == result.dim(0) &&
                      second.dim(1) == result.dim(1) &&
                      (found.bias == nullptr || is_repeated_to(result, tensor_in(*found.bias)));
    return fits ? std::optional(found) : std::nullopt;
}

/// Those rows and columns of a matrix; of an axis of one place, this one. Vectors are rows.
Tensor cut_matrix(const Tensor& tensor,
                  const std::vector<int64_t>* rows,
                  const std::vector<int64_t>* columns) {
    const int64_t height = tensor.ndim() < 2 ? 1 : tensor.dim(0);
    const int64_t width = tensor.ndim() < 1 ? 1 : tensor.dim(-1);
    if (height == 1) rows = nullptr;
    if (width == 1) columns = nullptr;
    const auto count = [](const std::vector<int64_t>* places, int64_t without) {
        return places == nullptr ? without : static_cast<int64_t>(places->size());
    };
    Shape shape = tensor.shape();
    if (tensor.ndim() >= 2) shape[0] = count(rows, height);
    if (tensor.ndim() >= 1) shape.back() = count(columns, width);
    Tensor chosen(tensor.dtype(), std::move(shape));
    const size_t size = size_of(tensor.dtype());
    std::byte* to = chosen.mutable_data();
    for (int64_t i = 0; i < count(rows, height); ++i) {
        const int64_t row = rows == nullptr ? i : (*rows)[static_cast<size_t>(i)];
        const std::byte* from = tensor.data() + static_cast<size_t>(row * width) * size;
        if (columns == nullptr) {
            std::memcpy(to, from, static_cast<size_t>(width) * size);
            to += static_cast<size_t>(width) * size;
            continue;
        }
        to = gather(from, *columns, size, to);
    }
    return chosen;
}

/// How many rows and columns of the result hold about so many elements.
struct Extent {
    int64_t rows;
    int64_t columns;
};

std::optional<Extent> extent_of(const OpRun& run, int64_t elements) {
    const auto operands = operands_of(run);
    const Tensor& result = run.results.front().elements;
    if (!operands || tensor_in(*operands->second).numel() < kCostly ||
        result.numel() < kTimes * elements)
        return std::nullopt;
    const auto side = static_cast<int64_t>(std::sqrt(static_cast<double>(elements)));
    const int64_t rows = std::min(result.dim(0), side);
    const int64_t columns = std::min(result.dim(1), elements / rows);
    return Extent{std::min(result.dim(0), elements / columns), columns};
}

/// Puts `place` among the first half of `places`, which holds `taken` so far; false where it is
/// full.
bool take(int64_t place, std::vector<int64_t>& places, size_t& taken) {
    if (std::ranges::find(places.begin(),
                          places.begin() + static_cast<std::ptrdiff_t>(taken),
                          place) != places.begin() + static_cast<std::ptrdiff_t>(taken))
        return true;
    if (2 * (taken + 1) > places.size()) return false;
    places[taken++] = place;
    return true;
}

}  // namespace

bool is_product_of_matrices(const OpRun& run) {
    const auto operands = operands_of(run);
    return operands && (operands->bias == nullptr || tensor_in(*operands->bias).ndim() < 2);
}

std::optional<Block> block_of(const OpRun& run, int64_t elements, std::span<const int64_t> also) {
    if (run.results.empty()) return std::nullopt;
    const auto extent = extent_of(run, elements);
    if (!extent) return std::nullopt;
    const Tensor& result = run.results.front().elements;
    Block block{evenly(result.dim(0), extent->rows), evenly(result.dim(1), extent->columns)};
    size_t rows = 0;
    size_t columns = 0;
    for (const int64_t place : also) {
        const bool has_row = take(place / result.dim(1), block.rows, rows);
        if (!take(place % result.dim(1), block.columns, columns) && !has_row) break;
    }
    return block;
}

std::optional<Block> leading_block(const OpRun& run, int64_t elements) {
    if (run.results.empty()) return std::nullopt;
    const auto extent = extent_of(run, elements);
    if (!extent) return std::nullopt;
    Block block{std::vector<int64_t>(static_cast<size_t>(extent->rows)),
                std::vector<int64_t>(static_cast<size_t>(extent->columns))};
    std::iota(block.rows.begin(), block.rows.end(), int64_t{0});
    std::iota(block.columns.begin(), block.columns.end(), int64_t{0});
    return block;
}

std::optional<OpRun> cut_to(const OpRun& run, const Block& block) {
    if (run.results.empty()) return std::nullopt;
    const auto operands = operands_of(run);
    if (!operands) return std::nullopt;
    const Tensor& result = run.results.front().elements;
    const auto within = [](const std::vector<int64_t>& places, int64_t count) {
        return std::ranges::all_of(places, [&](int64_t place) { return place < count; });
    };
    if (!within(block.rows, result.dim(0)) || !within(block.columns, result.dim(1)))
        return std::nullopt;
    OpRun less = to_be_cut(run);
    for (NamedValue& argument : less.arguments) {
        auto* tensor = std::get_if<Tensor>(&argument.value);
        if (tensor == nullptr) continue;
        if (argument.name == operands->first->name)
            *tensor = cut_matrix(*tensor, &block.rows, nullptr);
        else if (argument.name == operands->second->name)
            *tensor = cut_matrix(*tensor, nullptr, &block.columns);
        else
            *tensor = cut_matrix(*tensor, &block.rows, &block.columns);
    }
    less.results.front().elements = cut_matrix(result, &block.rows, &block.columns);
    return less;
}

}  // namespace npuscope::diagnose
