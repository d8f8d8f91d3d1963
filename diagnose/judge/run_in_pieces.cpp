#include "diagnose/judge/run_in_pieces.h"

#include <algorithm>

#include "diagnose/judge/exact_run.h"

namespace npuscope::diagnose {

namespace {

/// Elements of the largest result of a piece: a dozen times as many numbers fit into the caches.
constexpr int64_t kElements = int64_t{1} << 17;
/// Every piece of a product reads its other operand once more: pieces of at least so many rows, so
/// that this costs little.
constexpr int64_t kRowsOfProduct = 512;

int64_t rows_of_piece(const OpRun& run, int64_t rows) {
    int64_t elements = 1;
    for (const RecordedResult& result : run.results)
        elements = std::max(elements, result.elements.numel());
    const int64_t fitting = std::max<int64_t>(1, rows * kElements / elements);
    return is_product(kind_of(*run.op)) ? std::max(fitting, kRowsOfProduct) : fitting;
}

const Tensor* tensor_of(const NamedValue& argument) {
    return std::get_if<Tensor>(&argument.value);
}

}  // namespace

RunInPieces::RunInPieces(OpRun run, Cut cut, int64_t rows_of_piece)
    : run_(std::move(run)),
      cut_(cut),
      rows_(diagnose::rows_of(run_.results.front().elements, cut)),
      rows_of_piece_(rows_of_piece) {
    // What a piece shares its elements with is not cut.
    const auto some = stretch_of(run_, cut_, 0, 1);
    for (size_t i = 0; some && i < run_.arguments.size(); ++i) {
        const Tensor* whole = tensor_of(run_.arguments[i]);
        const Tensor* own = tensor_of(some->arguments[i]);
        if (whole != nullptr && own != nullptr && whole->storage_id() == own->storage_id())
            uncut_.push_back(run_.arguments[i]);
    }
    uncut_ = widened(uncut_);
}

std::optional<RunInPieces> RunInPieces::of(OpRun run) {
    if (!is_large(run)) return std::nullopt;
    // Before anything is proven, a guess: by elements, or by rows.
    const Tensor& result = run.results.front().elements;
    if (result.ndim() < 1 || result.numel() < 2 * kElements) return std::nullopt;
    const std::optional<Cut> cut = cut_of(run);
    if (!cut) return std::nullopt;
    const int64_t rows = diagnose::rows_of(result, *cut);
    const int64_t each = rows_of_piece(run, rows);
    if (2 * each > rows) return std::nullopt;
    return RunInPieces(std::move(run), *cut, each);
}

std::optional<RunInPieces> RunInPieces::like(OpRun other) const {
    if (other.op != run_.op || other.results.size() != run_.results.size() ||
        other.arguments.size() != run_.arguments.size())
        return std::nullopt;
    for (size_t i = 0; i < other.results.size(); ++i)
        if (other.results[i].name != run_.results[i].name ||
            other.results[i].elements.shape() != run_.results[i].elements.shape())
            return std::nullopt;
    for (size_t i = 0; i < other.arguments.size(); ++i) {
        const Tensor* own = tensor_of(run_.arguments[i]);
        const Tensor* their = tensor_of(other.arguments[i]);
        if (other.arguments[i].name != run_.arguments[i].name ||
            (own == nullptr) != (their == nullptr) ||
            (own != nullptr && own->shape() != their->shape()))
            return std::nullopt;
    }
    return RunInPieces(std::move(other), cut_, rows_of_piece_);
}

OpRun RunInPieces::piece(int64_t index) const {
    const int64_t first = index * rows_of_piece_;
    // What was cut once can be cut elsewhere.
    OpRun piece = stretch_of(run_, cut_, first, std::min(rows_of_piece_, rows_ - first)).value();
    piece.known_cut = cut_;
    NamedValues own;
    for (const NamedValue& argument : piece.arguments)
        if (find(uncut_, argument.name) == nullptr) own.push_back(argument);
    own = widened(own);
    for (const NamedValue& argument : piece.arguments) {
        const Value* shared = find(uncut_, argument.name);
        const Value* value = shared != nullptr ? shared : find(own, argument.name);
        piece.wide.push_back({argument.name, *value});
    }
    return piece;
}

}  // namespace npuscope::diagnose
