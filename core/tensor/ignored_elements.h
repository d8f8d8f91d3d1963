// Elements of a tensor that nobody is to look at, such as padding, and the tensor without them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/tensor/element_source.h"
#include "core/tensor/slice.h"

namespace npuscope {

/// Flat places first to first+count-1.
struct PlaceRange {
    int64_t first = 0;
    int64_t count = 0;
};

/// Parts of one shape together. Threads: const calls may run at once.
class IgnoredElements {
  public:
    explicit IgnoredElements(Shape shape) : shape_(std::move(shape)) {}
    /// False, with nothing taken, where the slice lies outside the shape.
    bool add(const Slice& slice);

    [[nodiscard]] bool empty() const { return boxes_.empty(); }
    [[nodiscard]] int64_t numel() const { return numel_of(shape_); }
    /// Whether a tensor of that shape has the same elements in the same places: dimensions of 1
    /// make no difference.
    [[nodiscard]] bool fits(const Shape& shape) const;
    /// In rising order, apart from each other. Complexity: their number, counted again each time.
    [[nodiscard]] std::vector<PlaceRange> ranges() const;
    /// What is between them.
    [[nodiscard]] std::vector<PlaceRange> kept_ranges() const;
    /// How many elements they are.
    [[nodiscard]] int64_t count() const;
    /// The other elements of a tensor with as many elements, in their order: rank 1. Errors:
    /// Error(kInternal) it has not as many.
    [[nodiscard]] Tensor rest_of(const Tensor& tensor) const;

  private:
    Shape shape_;
    std::vector<std::vector<Stretch>> boxes_;
};

/// The elements of a source that are not ignored. Borrows both.
class KeptElements final : public ElementSource {
  public:
    /// Errors: Error(kInternal) the two are not of one size.
    KeptElements(const ElementSource& whole, const IgnoredElements& ignored);

    [[nodiscard]] DType dtype() const override { return whole_.dtype(); }
    [[nodiscard]] const Shape& shape() const override { return shape_; }
    [[nodiscard]] int64_t numel() const override { return shape_.front(); }
    [[nodiscard]] const std::byte* range(int64_t first,
                                         int64_t count,
                                         std::vector<std::byte>& buffer) const override;
    void release(int64_t first, int64_t count) const override;
    void require_intact() const override { whole_.require_intact(); }
    /// The place in the whole of a place here; -1 of -1.
    [[nodiscard]] int64_t place_in_whole(int64_t place) const;

  private:
    /// Of the range that holds a place here.
    [[nodiscard]] size_t index_of(int64_t place) const;

    const ElementSource& whole_;
    std::vector<PlaceRange> ranges_;
    std::vector<int64_t> starts_;  ///< of the ranges, counted here
    Shape shape_;
};

}  // namespace npuscope
