#include "msaccucmp/numpy/float_source.h"

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

/// Gathers element by element. Data that lies in no mapping is held whole: strides jump about in
/// it.
class StridedElements : public ElementSource {
  public:
    StridedElements(std::unique_ptr<const ElementSource> base,
                    Shape shape,
                    std::vector<int64_t> strides)
        : base_(std::move(base)), shape_(std::move(shape)), strides_(std::move(strides)) {
        if (base_->numel() > 0) stored_ = base_->range(0, base_->numel(), held_);
    }

    [[nodiscard]] DType dtype() const override { return base_->dtype(); }
    [[nodiscard]] const Shape& shape() const override { return shape_; }
    [[nodiscard]] int64_t numel() const override { return base_->numel(); }
    [[nodiscard]] const std::byte* range(int64_t first,
                                         int64_t count,
                                         std::vector<std::byte>& buffer) const override {
        const size_t size = size_of(dtype());
        std::vector<int64_t> index(shape_.size());
        int64_t offset = 0;
        for (size_t axis = shape_.size(); axis-- > 0;) {
            index[axis] = first % shape_[axis];
            first /= shape_[axis];
            offset += index[axis] * strides_[axis];
        }
        const size_t nbytes = static_cast<size_t>(count) * size;
        if (buffer.size() < nbytes) buffer.resize(nbytes);
        for (size_t at = 0; at < nbytes; at += size) {
            if (offset < 0 || offset >= numel())
                throw Error(ErrorKind::kFormat, "The attribute Stride points outside the data.");
            std::memcpy(buffer.data() + at, stored_ + static_cast<size_t>(offset) * size, size);
            for (size_t axis = shape_.size(); axis-- > 0;) {
                offset += strides_[axis];
                if (++index[axis] < shape_[axis]) break;
                offset -= strides_[axis] * index[axis];
                index[axis] = 0;
            }
        }
        return buffer.data();
    }
    void release(int64_t, int64_t) const override { base_->release(0, numel()); }
    void require_intact() const override { base_->require_intact(); }

  private:
    std::unique_ptr<const ElementSource> base_;
    Shape shape_;
    std::vector<int64_t> strides_;
    std::vector<std::byte> held_;
    const std::byte* stored_ = nullptr;
};

template <class Source>
std::unique_ptr<FloatSource> strided(Source source,
                                     const Shape& shape,
                                     std::vector<int64_t> strides) {
    return std::make_unique<FloatSource>(std::make_unique<StridedElements>(
        std::make_unique<Source>(std::move(source)), shape, std::move(strides)));
}

}  // namespace

FloatSource::FloatSource(std::unique_ptr<const ElementSource> elements)
    : elements_(std::move(elements)), count_(static_cast<size_t>(elements_->numel())) {}

const float* FloatSource::piece(size_t first, size_t count, FloatBuffer& buffer) const {
    if (!elements_) return data_ + first;
    const std::byte* stored =
        elements_->range(static_cast<int64_t>(first), static_cast<int64_t>(count), buffer.stored);
    const bool aligned = reinterpret_cast<uintptr_t>(stored) % alignof(float) == 0;
    if (elements_->dtype() == DType::kFloat32 && aligned)
        return reinterpret_cast<const float*>(stored);
    convert(stored, elements_->dtype(), count, buffer);
    return buffer.converted.data();
}

void FloatSource::release(size_t first, size_t count) const {
    if (elements_) elements_->release(static_cast<int64_t>(first), static_cast<int64_t>(count));
}

std::unique_ptr<FloatSource> stored_order(h5::Elements elements) {
    return std::make_unique<FloatSource>(std::make_unique<h5::Elements>(std::move(elements)));
}

std::unique_ptr<FloatSource> stored_order(const Tensor& tensor) {
    return std::make_unique<FloatSource>(
        std::make_unique<TensorElements>(tensor.cast(DType::kFloat32)));
}

std::unique_ptr<FloatSource> through_strides(h5::Elements elements, std::vector<int64_t> strides) {
    const Shape shape = elements.shape();
    if (strides == contiguous_strides(shape)) return stored_order(std::move(elements));
    return strided(std::move(elements), shape, std::move(strides));
}

std::unique_ptr<FloatSource> through_strides(const Tensor& tensor, std::vector<int64_t> strides) {
    if (strides == contiguous_strides(tensor.shape())) return stored_order(tensor);
    return strided(TensorElements(tensor), tensor.shape(), std::move(strides));
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
