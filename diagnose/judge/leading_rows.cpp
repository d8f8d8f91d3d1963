#include "diagnose/judge/leading_rows.h"

#include <algorithm>

#include "diagnose/judge/exact_run.h"

namespace npuscope::diagnose {

namespace {

Tensor first_rows(const Tensor& tensor, int64_t rows) {
    Shape shape = tensor.shape();
    shape.front() = rows;
    return Tensor::copy_of(tensor.dtype(), shape, tensor.data());
}

/// The op on `rows` rows of the operands that have as many as the result: of the first alone, as
/// matrix products take them, or of all, as batches are.
std::optional<OpRun> cut(const OpRun& run, int64_t rows, bool all) {
    OpRun less{.op = run.op, .arguments = run.arguments, .wide = {}, .results = run.results};
    const int64_t whole = run.results.front().elements.dim(0);
    bool any = false;
    for (NamedValue& argument : less.arguments) {
        auto* tensor = std::get_if<Tensor>(&argument.value);
        if (tensor == nullptr || tensor->ndim() < 2 || tensor->dim(0) != whole || (any && !all))
            continue;
        *tensor = first_rows(*tensor, rows);
        any = true;
    }
    if (!any) return std::nullopt;
    less.wide = widened(less.arguments);
    less.results.front().elements = first_rows(less.results.front().elements, rows);
    const Results* exact = exact_results(less);
    const Tensor* y = exact == nullptr ? nullptr : expected_of(*exact, less.results.front());
    if (y == nullptr || y->shape() != less.results.front().elements.shape()) return std::nullopt;
    return less;
}

}  // namespace

OpRun leading_rows(OpRun run, int64_t elements) {
    if (run.results.size() != 1 || run.results.front().elements.ndim() < 2) return run;
    const Tensor& result = run.results.front().elements;
    const int64_t rows =
        std::max<int64_t>(1, result.dim(0) * elements / std::max<int64_t>(result.numel(), 1));
    if (rows >= result.dim(0)) return run;
    for (const bool all : {false, true})
        if (auto less = cut(run, rows, all)) return std::move(*less);
    return run;
}

}  // namespace npuscope::diagnose
