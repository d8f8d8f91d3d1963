// A dense tensor in C order, and a view of one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/dtype/dtype.h"

namespace npuscope {

using Shape = std::vector<int64_t>;

class ElementSource;

/// Product of the dimensions, 1 for rank 0. Errors: Error(kFormat) on a negative dimension or when
/// the product does not fit 63 bits.
[[nodiscard]] int64_t numel_of(std::span<const int64_t> shape);

/// "[2,3,4]", "[]" for rank 0.
[[nodiscard]] std::string to_string(std::span<const int64_t> shape);

/// Strides in elements of a C-order tensor.
[[nodiscard]] std::vector<int64_t> contiguous_strides(std::span<const int64_t> shape);

/// What is borrowed: the elements and the shape, for the lifetime of the owner.
struct TensorView {
    DType dtype = DType::kFloat32;
    std::span<const int64_t> shape;
    const std::byte* data = nullptr;
    uint64_t storage_id = 0;  ///< of the tensor it came from; 0 where there is none

    [[nodiscard]] int64_t numel() const { return numel_of(shape); }
    [[nodiscard]] size_t nbytes() const { return static_cast<size_t>(numel()) * size_of(dtype); }
    template <class T>
    [[nodiscard]] std::span<const T> as() const {
        return {reinterpret_cast<const T*>(data), static_cast<size_t>(numel())};
    }
};

/// A value: copying shares the elements, and shared elements are never written (mutable_data()
/// copies them first when someone else holds them, or they are lent). Threads: as shared_ptr.
class Tensor {
  public:
    /// Rank 1, no elements, float32.
    Tensor();
    /// Uninitialised elements. Errors: Error(kFormat) on a bad shape.
    Tensor(DType dtype, Shape shape);

    [[nodiscard]] static Tensor zeros(DType dtype, Shape shape);
    /// Copies nbytes from `data`.
    [[nodiscard]] static Tensor copy_of(DType dtype, Shape shape, const void* data);
    [[nodiscard]] static Tensor copy_of(const TensorView& view);
    /// The source's elements where they lie, so that only pages that are looked at are read: of
    /// floats in memory or in a mapped file, of anything else a copy. The source lives as long as
    /// its elements are shared, and is released then; what it reads from must live longer. What
    /// was computed of them is to be believed only after require_intact(). Errors: as
    /// ElementSource::whole().
    [[nodiscard]] static Tensor lent_by(std::shared_ptr<const ElementSource> source);
    template <class T>
    [[nodiscard]] static Tensor from(const Shape& shape, std::span<const T> values) {
        return copy_checked(kDTypeOf<T>, shape, values.data(), values.size());
    }
    template <class T>
    [[nodiscard]] static Tensor from(const Shape& shape, std::initializer_list<T> values) {
        return copy_checked(kDTypeOf<T>, shape, values.begin(), values.size());
    }
    template <class T>
    [[nodiscard]] static Tensor scalar(T value) {
        return copy_checked(kDTypeOf<T>, {}, &value, 1);
    }

    [[nodiscard]] DType dtype() const { return dtype_; }
    [[nodiscard]] const Shape& shape() const { return shape_; }
    [[nodiscard]] int64_t ndim() const { return static_cast<int64_t>(shape_.size()); }
    [[nodiscard]] int64_t dim(int64_t axis) const;  ///< negative counts from the end
    [[nodiscard]] int64_t numel() const { return numel_; }
    [[nodiscard]] size_t nbytes() const { return static_cast<size_t>(numel_) * size_of(dtype_); }

    [[nodiscard]] const std::byte* data() const;
    /// Copies shared and lent elements first.
    [[nodiscard]] std::byte* mutable_data();
    /// Errors: of lent elements those of ElementSource::require_intact().
    void require_intact() const;
    /// Lent elements from `first` on are not needed again soon.
    void release(int64_t first, int64_t count) const;

    /// Errors: Error(kInternal) when T is not the dtype's element type.
    template <class T>
    [[nodiscard]] std::span<const T> as() const {
        require_dtype(kDTypeOf<T>);
        return {reinterpret_cast<const T*>(data()), static_cast<size_t>(numel_)};
    }
    template <class T>
    [[nodiscard]] std::span<T> mutable_as() {
        require_dtype(kDTypeOf<T>);
        return {reinterpret_cast<T*>(mutable_data()), static_cast<size_t>(numel_)};
    }

    /// Same elements, another shape of the same numel. One dimension may be -1.
    [[nodiscard]] Tensor reshaped(Shape shape) const;
    /// NumPy's astype (convert_elements).
    [[nodiscard]] Tensor cast(DType dtype) const;
    [[nodiscard]] TensorView view() const;
    /// Element `index` of the flattened tensor as double.
    [[nodiscard]] double at(int64_t index) const;
    /// Equal for tensors that share their elements, never reused in a process.
    [[nodiscard]] uint64_t storage_id() const;

  private:
    struct Storage;
    Tensor(DType dtype, Shape shape, std::shared_ptr<Storage> storage);
    static Tensor copy_checked(DType dtype, Shape shape, const void* data, size_t count);
    void require_dtype(DType dtype) const;

    DType dtype_ = DType::kFloat32;
    Shape shape_;
    int64_t numel_ = 0;
    // Shared on purpose: a tensor is passed by value between op, kernels and observers, and a
    // reshape or a graph edge must not copy its elements.
    std::shared_ptr<Storage> storage_;
};

/// Bytewise equality of dtype, shape and elements.
[[nodiscard]] bool identical(const Tensor& a, const Tensor& b);

}  // namespace npuscope
