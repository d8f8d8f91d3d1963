// A tensor as flat elements of its dtype, handed out piece by piece so that memory
// stays small whatever the tensor's size.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/tensor/tensor.h"

namespace npuscope {

/// Threads: const calls may run at once, each with a buffer of its own.
class ElementSource {
  public:
    ElementSource() = default;
    virtual ~ElementSource() = default;
    ElementSource(const ElementSource&) = delete;
    ElementSource& operator=(const ElementSource&) = delete;
    ElementSource(ElementSource&&) = default;
    ElementSource& operator=(ElementSource&&) = default;

    [[nodiscard]] virtual DType dtype() const = 0;
    [[nodiscard]] virtual const Shape& shape() const = 0;
    [[nodiscard]] virtual int64_t numel() const = 0;
    /// Elements first to first+count-1 in native byte order, not necessarily aligned; valid until
    /// the next call with this buffer. Errors: Error when they cannot be read.
    [[nodiscard]] virtual const std::byte* range(int64_t first,
                                                 int64_t count,
                                                 std::vector<std::byte>& buffer) const = 0;
    /// All of them in memory; what they were read from is released. Errors: as range() and
    /// require_intact().
    [[nodiscard]] virtual Tensor whole() const;
    /// All of them where they lie, in native byte order, for as long as the source lives; nullptr
    /// where they must be read. Not necessarily aligned.
    [[nodiscard]] virtual const std::byte* in_place() const { return nullptr; }
    /// The same values in the dtype that they are kept in: wider where a file holds halves as
    /// float32, and cheaper to read.
    [[nodiscard]] virtual const ElementSource& stored() const { return *this; }
    /// These elements are not needed again soon.
    virtual void release(int64_t first, int64_t count) const = 0;
    /// Errors: Error(kIo) when the file was cut short while it was read.
    virtual void require_intact() const {}
};

inline Tensor ElementSource::whole() const {
    Tensor tensor(dtype(), shape());
    std::vector<std::byte> buffer;
    if (numel() == 0) return tensor;
    std::memcpy(tensor.mutable_data(), range(0, numel(), buffer), tensor.nbytes());
    require_intact();
    release(0, numel());
    return tensor;
}

/// Releases what is read of a source from its first element on, a few MB at a time: each release
/// interrupts all threads. Borrows the source, and releases the rest at its own end.
class ReleasedBehind {
  public:
    explicit ReleasedBehind(const ElementSource& source)
        : source_(source),
          step_(static_cast<int64_t>(kBytes / std::max<size_t>(size_of(source.dtype()), 1))) {}
    ~ReleasedBehind() { release(); }
    ReleasedBehind(const ReleasedBehind&) = delete;
    ReleasedBehind& operator=(const ReleasedBehind&) = delete;

    /// All elements before `end` have been read.
    void until(int64_t end) {
        end_ = end;
        if (end_ - begin_ >= step_) release();
    }

  private:
    static constexpr size_t kBytes = size_t{4} << 20U;

    void release() {
        if (end_ > begin_) source_.release(begin_, end_ - begin_);
        begin_ = end_;
    }

    const ElementSource& source_;
    int64_t step_;
    int64_t begin_ = 0;
    int64_t end_ = 0;
};

/// A tensor in memory. Holds its elements.
class TensorElements : public ElementSource {
  public:
    explicit TensorElements(Tensor tensor) : tensor_(std::move(tensor)) {}
    [[nodiscard]] DType dtype() const override { return tensor_.dtype(); }
    [[nodiscard]] const Shape& shape() const override { return tensor_.shape(); }
    [[nodiscard]] int64_t numel() const override { return tensor_.numel(); }
    [[nodiscard]] const std::byte* range(int64_t first,
                                         int64_t,
                                         std::vector<std::byte>&) const override {
        return tensor_.data() + static_cast<size_t>(first) * size_of(tensor_.dtype());
    }
    [[nodiscard]] Tensor whole() const override { return tensor_; }
    void release(int64_t, int64_t) const override {}

  private:
    Tensor tensor_;
};

}  // namespace npuscope
