// One side of a pair as flat float32 elements, as the reference tool's NumPy makes them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "core/h5/elements.h"
#include "core/tensor/element_source.h"

namespace npuscope::msaccucmp {

/// Room for one piece; each thread brings its own.
struct FloatBuffer {
    std::vector<std::byte> stored;
    std::vector<std::byte> aligned;
    std::vector<float> converted;
};

/// Threads: const calls may run at once, each with a buffer of its own.
class FloatSource {
  public:
    explicit FloatSource(std::unique_ptr<const ElementSource> elements);
    /// Elements that lie in memory. Borrowed.
    FloatSource(const float* data, size_t count) : data_(data), count_(count) {}

    [[nodiscard]] size_t count() const { return count_; }
    /// Elements first to first+count-1, valid until the next call with this buffer; not necessarily
    /// aligned. Straight from the mapped file where they are float32. Errors: Error when they
    /// cannot be read.
    [[nodiscard]] const float* piece(size_t first, size_t count, FloatBuffer& buffer) const;
    /// These elements are not needed again soon.
    void release(size_t first, size_t count) const;
    /// Errors: Error(kIo) when the file was cut short while it was read.
    void require_intact() const {
        if (elements_) elements_->require_intact();
    }

  private:
    std::unique_ptr<const ElementSource> elements_;
    const float* data_ = nullptr;
    size_t count_ = 0;
};

/// In the order in which they are stored.
[[nodiscard]] std::unique_ptr<FloatSource> stored_order(h5::Elements elements);
[[nodiscard]] std::unique_ptr<FloatSource> stored_order(const Tensor& tensor);

/// Read through other strides: element (i, j, …) is stored[i*s0 + j*s1 + …]. Errors: Error(kFormat)
/// when an index falls outside the data, as soon as such an element is asked for.
[[nodiscard]] std::unique_ptr<FloatSource> through_strides(h5::Elements elements,
                                                           std::vector<int64_t> strides);
[[nodiscard]] std::unique_ptr<FloatSource> through_strides(const Tensor& tensor,
                                                           std::vector<int64_t> strides);

/// Whether `strides` fit the shape: as many as dimensions, 1 + sum (dim-1)*stride <= numel.
[[nodiscard]] bool strides_fit(const Shape& shape, std::span<const int64_t> strides);

}  // namespace npuscope::msaccucmp
