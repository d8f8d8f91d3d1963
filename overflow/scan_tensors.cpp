#include "overflow/scan_tensors.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "core/naming/unspecified.h"

namespace npuscope::overflow {

std::vector<SourceTensor> specified_tensors(const SourceOp& op) {
    std::vector<SourceTensor> tensors = op.load();
    std::erase_if(tensors, [&](const SourceTensor& each) {
        const bool is_output = each.direction == dumpfile::Direction::kOutput;
        return is_unspecified(op.id.op, each.argument, is_output);
    });
    return tensors;
}

std::optional<DType> TensorScanner::dtype_of(const SourceTensor& tensor) {
    const auto dtype = dtype_from_name(tensor.dtype);
    const bool is_known = tensor.open || tensor.statistics;
    if (!dtype || !is_float(*dtype) || !is_known || numel_of(tensor.shape) == 0)
        return std::nullopt;
    return dtype;
}

std::optional<TensorScanner::Place> TensorScanner::place_of(const SourceTensor& tensor) {
    if (!tensor.storage || !tensor.open) return std::nullopt;
    return Place{*tensor.storage, numel_of(tensor.shape), *dtype_of(tensor)};
}

void TensorScanner::with_elements(const SourceTensor& tensor,
                                  const std::function<void(const TensorView&)>& use) {
    const std::unique_ptr<ElementSource> elements = tensor.open();
    const ElementSource& stored = elements->stored();
    std::vector<std::byte> buffer;
    const std::byte* data = stored.range(0, stored.numel(), buffer);
    use(TensorView{stored.dtype(), stored.shape(), data, 0});
    stored.require_intact();
}

Census TensorScanner::census_by_pieces(const SourceTensor& tensor, DType dtype) {
    constexpr int64_t kPiece = int64_t{1} << 24;  // what is unpacked shall not fill the memory
    const std::unique_ptr<ElementSource> elements = tensor.open();
    const ElementSource& stored = elements->stored();
    Census census;
    if (!is_float(stored.dtype())) return census;
    std::vector<std::byte> buffer;
    for (int64_t first = 0; first < stored.numel(); first += kPiece) {
        const int64_t count = std::min(kPiece, stored.numel() - first);
        const Shape shape{count};
        const TensorView piece{stored.dtype(), shape, stored.range(first, count, buffer), 0};
        census.merge(take_census(piece, dtype, threads_));
        scanned_bytes_ += static_cast<int64_t>(piece.nbytes());
    }
    stored.require_intact();
    return census;
}

Census TensorScanner::census(const SourceTensor& tensor) {
    const auto place = place_of(tensor);
    if (place) {
        const auto known = censuses_.find(*place);
        if (known != censuses_.end()) return known->second;
    }
    const DType dtype = *dtype_of(tensor);
    Census census;
    if (tensor.open) {
        census = census_by_pieces(tensor, dtype);
    } else {
        census = census_of_statistics(*tensor.statistics, numel_of(tensor.shape), dtype);
    }
    if (place) censuses_.emplace(*place, census);
    return census;
}

Fingerprint TensorScanner::fingerprint(const SourceTensor& tensor) {
    if (!tensor.open) return fingerprint_of(*tensor.statistics, numel_of(tensor.shape));
    const auto place = place_of(tensor);
    if (place) {
        const auto known = fingerprints_.find(*place);
        if (known != fingerprints_.end()) return known->second;
    }
    Fingerprint print;
    with_elements(tensor, [&](const TensorView& elements) { print = fingerprint_of(elements); });
    if (place) fingerprints_.emplace(*place, print);
    return print;
}

}  // namespace npuscope::overflow
