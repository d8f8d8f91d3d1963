#include "diagnose/judge/part_of_run.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>

#include "diagnose/judge/evenly.h"
#include "diagnose/judge/exact_run.h"
#include "diagnose/judge/gather.h"

namespace npuscope::diagnose {

namespace {

/// What results may differ by that are computed beside others: float64 sums in another order.
constexpr double kSame = 1e-12;

/// The rows of `tensor` at the places that are asked for, in their order, where it is seen as rows
/// of a shape but for the first axis.
using Rows = std::function<Tensor(const Tensor& tensor, Shape shape)>;

Rows rows_at(const std::vector<int64_t>& places) {
    return [&places](const Tensor& tensor, Shape shape) {
        shape.front() = static_cast<int64_t>(places.size());
        Tensor chosen(tensor.dtype(), std::move(shape));
        const size_t row = chosen.nbytes() / std::max<size_t>(places.size(), 1);
        gather(tensor.data(), places, row, chosen.mutable_data());
        return chosen;
    };
}

/// Each is taken once: what it was read from is released.
Rows stretch(int64_t first, int64_t count) {
    return [first, count](const Tensor& tensor, Shape shape) {
        shape.front() = count;
        Tensor chosen(tensor.dtype(), std::move(shape));
        const size_t row = chosen.nbytes() / static_cast<size_t>(count);
        std::memcpy(chosen.mutable_data(),
                    tensor.data() + static_cast<size_t>(first) * row,
                    chosen.nbytes());
        tensor.release(first * (chosen.numel() / count), chosen.numel());
        return chosen;
    };
}

bool has_lists(const OpRun& run) {
    return std::ranges::any_of(run.arguments, [](const NamedValue& argument) {
        return std::holds_alternative<TensorList>(argument.value);
    });
}

Tensor cut_tensor(const Tensor& tensor, const Rows& chosen, Cut cut) {
    return chosen(tensor, cut == Cut::kElements ? Shape{1} : tensor.shape());
}

/// Not widened. Empty where an operand is neither cut nor of one element, and so is not known to
/// fit.
std::optional<OpRun> narrow_cut(const OpRun& run, const Rows& chosen, Cut cut) {
    OpRun less = to_be_cut(run);
    const Tensor& result = run.results.front().elements;
    const int64_t rows = rows_of(result, cut);
    bool any = false;
    for (NamedValue& argument : less.arguments) {
        auto* tensor = std::get_if<Tensor>(&argument.value);
        if (tensor == nullptr) continue;
        if (cut == Cut::kElements) {
            if (tensor->shape() != result.shape()) {
                if (tensor->numel() != 1) return std::nullopt;
                continue;
            }
        } else {
            const int64_t least = cut == Cut::kAll ? 1 : 2;
            if (tensor->ndim() < least || tensor->dim(0) != rows || (any && cut == Cut::kFirst))
                continue;
        }
        *tensor = cut_tensor(*tensor, chosen, cut);
        any = true;
    }
    if (!any) return std::nullopt;
    for (RecordedResult& each : less.results)
        each.elements = cut_tensor(each.elements, chosen, cut);
    return less;
}

std::optional<OpRun> cut_run(const OpRun& run, const std::vector<int64_t>& places, Cut cut) {
    auto less = narrow_cut(run, rows_at(places), cut);
    if (less) less->wide = widened(less->arguments);
    return less;
}

/// Whether the op gives all results, in their shapes.
bool is_computable(const OpRun& run) {
    const Results* exact = exact_results(run);
    return exact != nullptr && std::ranges::all_of(run.results, [&](const RecordedResult& result) {
               const Tensor* y = expected_of(*exact, result);
               return y != nullptr && y->shape() == result.elements.shape();
           });
}

/// Whether the results of `part` are those of `more` from the row `first` on.
bool is_same_beside_others(const OpRun& part, const OpRun& more, int64_t first) {
    for (const RecordedResult& result : part.results) {
        const RecordedResult* like = recorded_result(more, result.name);
        const Tensor* y = expected_of(*exact_results(part), result);
        const Tensor* z = like == nullptr ? nullptr : expected_of(*exact_results(more), *like);
        if (z == nullptr || z->dtype() != y->dtype()) return false;
        const int64_t skipped = first * (y->numel() / std::max<int64_t>(y->dim(0), 1));
        for (int64_t i = 0; i < y->numel(); ++i) {
            const double a = y->at(i);
            const double b = z->at(skipped + i);
            const bool alike = a == b || (std::isnan(a) && std::isnan(b)) ||
                               std::abs(a - b) <= kSame * std::abs(a);
            if (!alike) return false;
        }
    }
    return true;
}

bool may_be_cut(const OpRun& run, Cut cut) {
    const Tensor& result = run.results.front().elements;
    return std::ranges::all_of(run.results, [&](const RecordedResult& each) {
        if (cut == Cut::kElements) return each.elements.shape() == result.shape();
        return each.elements.ndim() >= 1 && each.elements.dim(0) == result.dim(0);
    });
}

std::optional<PartOfRun> proven_part(const OpRun& run,
                                     int64_t elements,
                                     std::span<const int64_t> also,
                                     Cut cut) {
    if (!may_be_cut(run, cut)) return std::nullopt;
    const Tensor& result = run.results.front().elements;
    const int64_t rows = rows_of(result, cut);
    const int64_t count = std::max<int64_t>(1, rows * elements / result.numel());
    if (2 * count > rows) return std::nullopt;
    const std::vector<int64_t> both = evenly(rows, 2 * count);
    std::vector<int64_t> places(both.begin() + count, both.end());
    std::optional<OpRun> part;
    if (!run.known_cut) {
        const auto more = cut_run(run, both, cut);
        if (!more || !is_computable(*more)) return std::nullopt;
        part = cut_run(run, places, cut);
        if (!part || !is_computable(*part) || !is_same_beside_others(*part, *more, count))
            return std::nullopt;
        if (also.empty()) return PartOfRun{std::move(*part), cut, std::move(places)};
    }
    // Every other place is one of those asked for, as far as they go.
    const int64_t row = result.numel() / rows;
    for (size_t i = 0; i < std::min(also.size(), places.size() / 2); ++i)
        places[2 * i] = also[i] / row;
    part = cut_run(run, places, cut);
    if (!part || !is_computable(*part)) return std::nullopt;
    return PartOfRun{std::move(*part), cut, std::move(places)};
}

std::optional<OpRun> widened_block(const OpRun& run, const Block& block) {
    auto less = cut_to(run, block);
    if (!less) return std::nullopt;
    less->wide = widened(less->arguments);
    return is_computable(*less) ? less : std::nullopt;
}

/// Rows of a product, which need no proof.
std::optional<PartOfRun> part_of_product(const OpRun& run, std::vector<int64_t> places) {
    for (const Cut cut : {Cut::kFirst, Cut::kMatrices}) {
        if (!may_be_cut(run, cut)) continue;
        if (auto less = cut_run(run, places, cut); less && is_computable(*less))
            return PartOfRun{std::move(*less), cut, std::move(places)};
    }
    return std::nullopt;
}

}  // namespace

int64_t rows_of(const Tensor& result, Cut cut) {
    return cut == Cut::kElements ? result.numel() : result.dim(0);
}

bool is_large(const OpRun& run) {
    return !run.results.empty() && run.results.front().elements.numel() >= kLargeElements &&
           !has_ignored(run);
}

std::optional<PartOfRun> part_of(const OpRun& run,
                                 int64_t elements,
                                 std::span<const int64_t> also) {
    if (run.results.empty() || has_lists(run)) return std::nullopt;
    const Tensor& result = run.results.front().elements;
    if (result.ndim() < 1 || result.numel() < 2 * elements) return std::nullopt;
    if (auto block = block_of(run, elements, also)) {
        auto less = widened_block(run, *block);
        if (!less) return std::nullopt;
        return PartOfRun{
            std::move(*less), Cut::kBlock, std::move(block->rows), std::move(block->columns)};
    }
    for (const Cut cut : {Cut::kElements, Cut::kMatrices, Cut::kFirst, Cut::kAll})
        if (run.known_cut.value_or(cut) == cut)
            if (auto part = proven_part(run, elements, also, cut)) return part;
    return std::nullopt;
}

std::optional<OpRun> same_part(const OpRun& run, const PartOfRun& part) {
    if (part.cut == Cut::kBlock)
        return run.op == part.run.op ? widened_block(run, {part.places, part.columns})
                                     : std::nullopt;
    const bool fits = run.op == part.run.op && run.results.size() == part.run.results.size() &&
                      std::ranges::all_of(run.results, [&](const RecordedResult& result) {
                          const Tensor& cut = part.run.results.front().elements;
                          return result.elements.ndim() >= 1 &&
                                 (part.by_element() || result.elements.ndim() == cut.ndim()) &&
                                 std::ranges::all_of(part.places, [&](int64_t place) {
                                     return place < rows_of(result.elements, part.cut);
                                 });
                      });
    if (!fits || !may_be_cut(run, part.cut)) return std::nullopt;
    auto less = cut_run(run, part.places, part.cut);
    return less && is_computable(*less) ? less : std::nullopt;
}

std::optional<Cut> cut_of(const OpRun& run) {
    if (run.results.empty() || run.results.front().elements.ndim() < 1) return std::nullopt;
    if (is_product_of_matrices(run)) return Cut::kFirst;
    const auto part =
        is_product(kind_of(*run.op)) ? part_of_product(run, {0}) : part_of(run, kTellingElements);
    return part ? std::optional(part->cut) : std::nullopt;
}

std::optional<OpRun> stretch_of(const OpRun& run, Cut cut, int64_t first, int64_t count) {
    return narrow_cut(run, stretch(first, count), cut);
}

OpRun leading_rows(OpRun run, int64_t elements) {
    if (const auto block = leading_block(run, elements))
        if (auto less = widened_block(run, *block)) return std::move(*less);
    if (run.results.size() != 1 || run.results.front().elements.ndim() < 2) return run;
    const Tensor& result = run.results.front().elements;
    const int64_t rows =
        std::max<int64_t>(1, result.dim(0) * elements / std::max<int64_t>(result.numel(), 1));
    if (rows >= result.dim(0)) return run;
    std::vector<int64_t> places(static_cast<size_t>(rows));
    std::iota(places.begin(), places.end(), int64_t{0});
    auto part = part_of_product(run, std::move(places));
    return part ? std::move(part->run) : std::move(run);
}

}  // namespace npuscope::diagnose
