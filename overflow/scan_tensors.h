// Reads a recording's tensors for a scan: a census of each, taken once for tensors that share their
// elements. Included by overflow/*.cpp only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "core/recording/source.h"
#include "overflow/detectors/detector.h"
#include "overflow/fingerprint.h"

namespace npuscope::overflow {

/// Of the op, in its order, but those that its definition does not tell: what a kernel keeps for
/// its gradient has infinities where no number is. Errors: as SourceOp::load().
[[nodiscard]] std::vector<SourceTensor> specified_tensors(const SourceOp& op);

class TensorScanner {
  public:
    explicit TensorScanner(int threads) : threads_(threads) {}

    /// The dtype of a floating-point tensor of which elements or statistics were recorded; empty
    /// for any other, and for one without elements.
    [[nodiscard]] static std::optional<DType> dtype_of(const SourceTensor& tensor);
    /// From its elements, else from its statistics; nothing counted where the elements turn out to
    /// be no floating-point numbers. Errors: those of SourceTensor::open; Error(kIo) when the file
    /// was cut short meanwhile.
    [[nodiscard]] Census census(const SourceTensor& tensor);
    [[nodiscard]] Fingerprint fingerprint(const SourceTensor& tensor);
    [[nodiscard]] int64_t scanned_bytes() const { return scanned_bytes_; }

  private:
    using Place = std::tuple<uint64_t, int64_t, DType>;  // storage, numel, dtype
    static std::optional<Place> place_of(const SourceTensor& tensor);
    Census census_by_pieces(const SourceTensor& tensor, DType dtype);
    static void with_elements(const SourceTensor& tensor,
                              const std::function<void(const TensorView&)>& use);

    int threads_;
    std::map<Place, Census> censuses_;
    std::map<Place, Fingerprint> fingerprints_;
    int64_t scanned_bytes_ = 0;
};

}  // namespace npuscope::overflow
