#include "overflow/scan_tensors.h"

#include "core/h5/elements.h"

namespace npuscope::overflow {

using dumpfile::Entry;

bool TensorScanner::applies(const Entry& entry) {
    const auto dtype = entry.dtype();
    return entry.is_tensor() && dtype && is_float(*dtype) && entry.stored.dtype &&
           is_float(*entry.stored.dtype) && numel_of(entry.stored.shape) > 0;
}

// Tensors with one place in the file are hard links of one dataset.
std::optional<TensorScanner::Place> TensorScanner::place_of(const Entry& entry) {
    if (!entry.stored.offset) return std::nullopt;
    return Place{*entry.stored.offset, numel_of(entry.stored.shape), *entry.dtype()};
}

void TensorScanner::with_elements(const Entry& entry,
                                  const std::function<void(const TensorView&)>& use) const {
    const h5::Elements elements = reader_.elements(entry);
    if (!elements.is_mapped()) {
        use(reader_.read_stored(entry).view());
        return;
    }
    std::vector<std::byte> unused;
    const std::byte* data = elements.range(0, elements.numel(), unused);
    use(TensorView{elements.dtype(), elements.shape(), data, 0});
    elements.require_intact();
}

Census TensorScanner::census(const Entry& entry) {
    const auto place = place_of(entry);
    if (place) {
        const auto known = censuses_.find(*place);
        if (known != censuses_.end()) return known->second;
    }
    Census census;
    with_elements(entry, [&](const TensorView& elements) {
        census = take_census(elements, *entry.dtype(), threads_);
        scanned_bytes_ += static_cast<int64_t>(elements.nbytes());
    });
    if (place) censuses_.emplace(*place, census);
    return census;
}

Fingerprint TensorScanner::fingerprint(const Entry& entry) {
    const auto place = place_of(entry);
    if (place) {
        const auto known = fingerprints_.find(*place);
        if (known != fingerprints_.end()) return known->second;
    }
    Fingerprint print;
    with_elements(entry, [&](const TensorView& elements) { print = fingerprint_of(elements); });
    if (place) fingerprints_.emplace(*place, print);
    return print;
}

}  // namespace npuscope::overflow
