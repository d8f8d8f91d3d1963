#include "core/tensor/tensor.h"

#include <atomic>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include "core/base/error.h"
#include "core/base/memory_block.h"
#include "core/tensor/element_source.h"
#include "core/tensor/op_budget.h"

namespace npuscope {

struct Tensor::Storage {
    explicit Storage(size_t nbytes) : block(nbytes), bytes(block.data()), id(next_id()) {}
    Storage(std::shared_ptr<const ElementSource> source, const std::byte* elements)
        : block(0), bytes(elements), id(next_id()), lender(std::move(source)) {}
    ~Storage() {
        if (lender) lender->release(0, lender->numel());
    }
    Storage(const Storage&) = delete;
    Storage& operator=(const Storage&) = delete;

    /// Of its own block.
    [[nodiscard]] std::byte* own() const { return block.data(); }

    static uint64_t next_id() {
        static std::atomic<uint64_t> last{0};
        return ++last;
    }

    MemoryBlock block;
    const std::byte* bytes;
    uint64_t id;
    std::shared_ptr<const ElementSource> lender{};  ///< of what is not in the block
};

int64_t numel_of(std::span<const int64_t> shape) {
    int64_t product = 1;
    for (const int64_t dim : shape)
        if (dim < 0 || __builtin_mul_overflow(product, dim, &product))
            throw Error(ErrorKind::kFormat,
                        "shape " + to_string(shape) +
                            (dim < 0 ? " has a negative dimension" : " has too many elements"));
    return product;
}

std::string to_string(std::span<const int64_t> shape) {
    std::string text = "[";
    for (const int64_t dim : shape) {
        if (text.size() > 1) text += ',';
        text += std::to_string(dim);
    }
    return text + "]";
}

std::vector<int64_t> contiguous_strides(std::span<const int64_t> shape) {
    std::vector<int64_t> strides(shape.size(), 1);
    for (size_t axis = shape.size(); axis-- > 1;)
        strides[axis - 1] = strides[axis] * std::max<int64_t>(shape[axis], 1);
    return strides;
}

Tensor::Tensor() : Tensor(DType::kFloat32, {0}) {}

Tensor::Tensor(DType dtype, Shape shape)
    : dtype_(dtype), shape_(std::move(shape)), numel_(numel_of(shape_)) {
    size_t nbytes = 0;
    if (__builtin_mul_overflow(static_cast<size_t>(numel_), size_of(dtype), &nbytes) ||
        nbytes > PTRDIFF_MAX)
        throw Error(ErrorKind::kFormat, "shape " + to_string(shape_) + " has too many bytes");
    OpBudget::take_tensor(shape_, numel_);
    try {
        storage_ = std::make_shared<Storage>(nbytes);
    } catch (const std::bad_alloc&) {
        throw Error(ErrorKind::kIo,
                    "not enough memory for a " + std::string(name_of(dtype)) + " tensor of shape " +
                        to_string(shape_) + " (" + std::to_string(nbytes) + " bytes)");
    }
}

Tensor::Tensor(DType dtype, Shape shape, std::shared_ptr<Storage> storage)
    : dtype_(dtype),
      shape_(std::move(shape)),
      numel_(numel_of(shape_)),
      storage_(std::move(storage)) {}

Tensor Tensor::lent_by(std::shared_ptr<const ElementSource> source) {
    const DType dtype = source->dtype();
    const std::byte* elements = source->in_place();
    // Indices are checked before they are followed: nobody may change them in between.
    if (elements == nullptr || !is_float(dtype) || source->numel() == 0 ||
        reinterpret_cast<uintptr_t>(elements) % size_of(dtype) != 0)
        return source->whole();
    Shape shape = source->shape();
    return {dtype, std::move(shape), std::make_shared<Storage>(std::move(source), elements)};
}

Tensor Tensor::zeros(DType dtype, Shape shape) {
    Tensor tensor(dtype, std::move(shape));
    std::memset(tensor.storage_->own(), 0, tensor.nbytes());
    return tensor;
}

Tensor Tensor::copy_of(DType dtype, Shape shape, const void* data) {
    Tensor tensor(dtype, std::move(shape));
    if (tensor.nbytes() != 0) std::memcpy(tensor.storage_->own(), data, tensor.nbytes());
    return tensor;
}

Tensor Tensor::copy_of(const TensorView& view) {
    return copy_of(view.dtype, Shape(view.shape.begin(), view.shape.end()), view.data);
}

Tensor Tensor::copy_checked(DType dtype, Shape shape, const void* data, size_t count) {
    if (static_cast<size_t>(numel_of(shape)) != count)
        throw Error(ErrorKind::kInternal,
                    std::to_string(count) + " values do not fill shape " + to_string(shape));
    return copy_of(dtype, std::move(shape), data);
}

int64_t Tensor::dim(int64_t axis) const {
    if (axis < 0) axis += ndim();
    if (axis < 0 || axis >= ndim())
        throw Error(ErrorKind::kUsage,
                    "axis " + std::to_string(axis) + " is outside shape " + to_string(shape_));
    return shape_[static_cast<size_t>(axis)];
}

const std::byte* Tensor::data() const {
    return storage_->bytes;
}

std::byte* Tensor::mutable_data() {
    // Counted through a second owner: taking it synchronises with an owner on another thread that
    // has just let go, which reading use_count() alone would not.
    const long owners = std::shared_ptr(storage_).use_count() - 1;
    if (owners > 1 || storage_->lender) *this = copy_of(dtype_, shape_, storage_->bytes);
    return storage_->own();
}

void Tensor::require_intact() const {
    if (storage_->lender) storage_->lender->require_intact();
}

void Tensor::release(int64_t first, int64_t count) const {
    if (storage_->lender) storage_->lender->release(first, count);
}

Tensor Tensor::reshaped(Shape shape) const {
    int64_t known = 1;
    int64_t* unknown = nullptr;
    for (int64_t& dim : shape) {
        if (dim == -1 && unknown == nullptr) {
            unknown = &dim;
        } else if (dim < 0 || __builtin_mul_overflow(known, dim, &known)) {
            throw Error(ErrorKind::kUsage,
                        "cannot reshape " + to_string(shape_) + " to " + to_string(shape));
        }
    }
    if (unknown != nullptr) *unknown = known == 0 ? 0 : numel_ / known;
    if (numel_of(shape) != numel_)
        throw Error(ErrorKind::kUsage,
                    "cannot reshape " + to_string(shape_) + " to " + to_string(shape));
    Tensor tensor = *this;
    tensor.shape_ = std::move(shape);
    return tensor;
}

Tensor Tensor::cast(DType dtype) const {
    if (dtype == dtype_) return *this;
    Tensor tensor(dtype, shape_);
    convert_elements(data(), dtype_, tensor.storage_->own(), dtype, static_cast<size_t>(numel_));
    return tensor;
}

TensorView Tensor::view() const {
    return {dtype_, shape_, data(), storage_id()};
}

double Tensor::at(int64_t index) const {
    return visit_dtype(
        dtype_, [&]<class T>() { return to_double(reinterpret_cast<const T*>(data())[index]); });
}

uint64_t Tensor::storage_id() const {
    return storage_->id;
}

void Tensor::require_dtype(DType dtype) const {
    if (dtype != dtype_)
        throw Error(ErrorKind::kInternal,
                    "a " + std::string(name_of(dtype_)) + " tensor was used as " +
                        std::string(name_of(dtype)));
}

bool identical(const Tensor& a, const Tensor& b) {
    return a.dtype() == b.dtype() && a.shape() == b.shape() &&
           (a.data() == b.data() || std::memcmp(a.data(), b.data(), a.nbytes()) == 0);
}

}  // namespace npuscope
