#include "overflow/scan_tensors.h"

#include <memory>
#include <vector>

namespace npuscope::overflow {

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

Census TensorScanner::census(const SourceTensor& tensor) {
    const auto place = place_of(tensor);
    if (place) {
        const auto known = censuses_.find(*place);
        if (known != censuses_.end()) return known->second;
    }
    const DType dtype = *dtype_of(tensor);
    Census census;
    if (tensor.open) {
        with_elements(tensor, [&](const TensorView& elements) {
            if (!is_float(elements.dtype)) return;
            census = take_census(elements, dtype, threads_);
            scanned_bytes_ += static_cast<int64_t>(elements.nbytes());
        });
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
