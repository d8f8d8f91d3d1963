// Reads a dump's tensors for a scan: a census of each, taken once for tensors that share storage.
// Included by overflow/*.cpp only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/dumpfile/reader.h"
#include "overflow/detectors/detector.h"
#include "overflow/fingerprint.h"

namespace npuscope::overflow {

class TensorScanner {
  public:
    TensorScanner(const dumpfile::Reader& reader, int threads)
        : reader_(reader), threads_(threads) {}

    /// Whether the entry is a floating-point tensor with elements.
    [[nodiscard]] static bool applies(const dumpfile::Entry& entry);
    /// Errors: Error of the reader; Error(kIo) when the file was cut short meanwhile.
    [[nodiscard]] Census census(const dumpfile::Entry& entry);
    [[nodiscard]] Fingerprint fingerprint(const dumpfile::Entry& entry);
    [[nodiscard]] int64_t scanned_bytes() const { return scanned_bytes_; }

  private:
    using Place = std::tuple<uint64_t, int64_t, DType>;  // file offset, numel, dtype
    static std::optional<Place> place_of(const dumpfile::Entry& entry);
    void with_elements(const dumpfile::Entry& entry,
                       const std::function<void(const TensorView&)>& use) const;

    const dumpfile::Reader& reader_;
    int threads_;
    std::map<Place, Census> censuses_;
    std::map<Place, Fingerprint> fingerprints_;
    int64_t scanned_bytes_ = 0;
};

}  // namespace npuscope::overflow
