#include "msaccucmp/numpy/dataset_floats.h"

#include <algorithm>
#include <cstring>

#include "core/base/error.h"

namespace npuscope::msaccucmp {

namespace {

/// As convert_elements, for bytes that need neither be aligned nor be well-formed bools.
void convert(const std::byte* stored, DType dtype, size_t count, FloatBuffer& buffer) {
    if (buffer.converted.size() < count) buffer.converted.resize(count);
    if (dtype == DType::kBool) {
        for (size_t i = 0; i < count; ++i)
            buffer.converted[i] = stored[i] != std::byte{0} ? 1.0f : 0.0f;
        return;
    }
    if (reinterpret_cast<uintptr_t>(stored) % size_of(dtype) != 0) {
        const size_t bytes = count * size_of(dtype);
        if (buffer.aligned.size() < bytes) buffer.aligned.resize(bytes);
        std::memcpy(buffer.aligned.data(), stored, bytes);
        stored = buffer.aligned.data();
    }
    convert_elements(stored, dtype, buffer.converted.data(), DType::kFloat32, count);
}

class StoredFloats : public FloatSource {
  public:
    explicit StoredFloats(h5::Elements elements) : elements_(std::move(elements)) {}

    [[nodiscard]] size_t count() const override { return static_cast<size_t>(elements_.numel()); }
    [[nodiscard]] const float* piece(size_t first,
                                     size_t count,
                                     FloatBuffer& buffer) const override {
        const std::byte* stored = elements_.range(
            static_cast<int64_t>(first), static_cast<int64_t>(count), buffer.stored);
        const bool aligned = reinterpret_cast<uintptr_t>(stored) % alignof(float) == 0;
        if (elements_.dtype() == DType::kFloat32 && aligned)
            return reinterpret_cast<const float*>(stored);
        convert(stored, elements_.dtype(), count, buffer);
        return buffer.converted.data();
    }
    void release(size_t first, size_t count) const override {
        elements_.release(static_cast<int64_t>(first), static_cast<int64_t>(count));
    }
    void require_intact() const override { elements_.require_intact(); }

  private:
    h5::Elements elements_;
};

class TensorFloats : public FloatSource {
  public:
    explicit TensorFloats(const Tensor& tensor) : tensor_(tensor.cast(DType::kFloat32)) {}

    [[nodiscard]] size_t count() const override { return static_cast<size_t>(tensor_.numel()); }
    [[nodiscard]] const float* piece(size_t first, size_t, FloatBuffer&) const override {
        return tensor_.as<float>().data() + first;
    }
    void release(size_t, size_t) const override {}

  private:
    Tensor tensor_;
};

/// Gathers element by element. Data that lies in no mapping is held whole: strides jump about in
/// it.
class StridedFloats : public FloatSource {
  public:
    StridedFloats(h5::Elements elements, std::vector<int64_t> strides)
        : elements_(std::move(elements)),
          dtype_(elements_->dtype()),
          shape_(elements_->shape()),
          numel_(elements_->numel()),
          strides_(std::move(strides)) {
        if (numel_ > 0) stored_ = elements_->range(0, numel_, held_);
    }
    StridedFloats(const Tensor& tensor, std::vector<int64_t> strides)
        : tensor_(tensor),
          dtype_(tensor.dtype()),
          shape_(tensor.shape()),
          numel_(tensor.numel()),
          strides_(std::move(strides)),
          stored_(tensor_.data()) {}

    [[nodiscard]] size_t count() const override { return static_cast<size_t>(numel_); }
    [[nodiscard]] const float* piece(size_t first,
                                     size_t count,
                                     FloatBuffer& buffer) const override {
        const size_t size = size_of(dtype_);
        std::vector<int64_t> index(shape_.size());
        int64_t offset = 0;
        auto rest = static_cast<int64_t>(first);
        for (size_t axis = shape_.size(); axis-- > 0;) {
            index[axis] = rest % shape_[axis];
            rest /= shape_[axis];
            offset += index[axis] * strides_[axis];
        }
        if (buffer.stored.size() < count * size) buffer.stored.resize(count * size);
        for (size_t i = 0; i < count; ++i) {
            if (offset < 0 || offset >= numel_)
                throw Error(ErrorKind::kFormat, "The attribute Stride points outside the data.");
            std::memcpy(buffer.stored.data() + i * size,
                        stored_ + static_cast<size_t>(offset) * size,
                        size);
            for (size_t axis = shape_.size(); axis-- > 0;) {
                offset += strides_[axis];
                if (++index[axis] < shape_[axis]) break;
                offset -= strides_[axis] * index[axis];
                index[axis] = 0;
            }
        }
        convert(buffer.stored.data(), dtype_, count, buffer);
        return buffer.converted.data();
    }
    void release(size_t, size_t) const override {
        if (elements_) elements_->release(0, numel_);
    }
    void require_intact() const override {
        if (elements_) elements_->require_intact();
    }

  private:
    std::optional<h5::Elements> elements_;
    Tensor tensor_;
    DType dtype_;
    Shape shape_;
    int64_t numel_;
    std::vector<int64_t> strides_;
    std::vector<std::byte> held_;
    const std::byte* stored_ = nullptr;
};

}  // namespace

std::unique_ptr<FloatSource> stored_order(h5::Elements elements) {
    return std::make_unique<StoredFloats>(std::move(elements));
}

std::unique_ptr<FloatSource> stored_order(const Tensor& tensor) {
    return std::make_unique<TensorFloats>(tensor);
}

std::unique_ptr<FloatSource> through_strides(h5::Elements elements, std::vector<int64_t> strides) {
    if (strides == contiguous_strides(elements.shape())) return stored_order(std::move(elements));
    return std::make_unique<StridedFloats>(std::move(elements), std::move(strides));
}

std::unique_ptr<FloatSource> through_strides(const Tensor& tensor, std::vector<int64_t> strides) {
    if (strides == contiguous_strides(tensor.shape())) return stored_order(tensor);
    return std::make_unique<StridedFloats>(tensor, std::move(strides));
}

bool strides_fit(const Shape& shape, std::span<const int64_t> strides) {
    if (shape.size() != strides.size()) return false;
    int64_t last = 1;
    for (size_t i = 0; i < shape.size(); ++i) {
        int64_t step = 0;
        if (__builtin_mul_overflow(shape[i] - 1, strides[i], &step)) return false;
        if (__builtin_add_overflow(last, step, &last)) return false;
    }
    return last <= numel_of(shape);
}

}  // namespace npuscope::msaccucmp
