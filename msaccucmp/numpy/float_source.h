// One side of a pair as flat float32 elements, handed out piece by piece so that memory stays small
// whatever the tensor's size.
#pragma once

#include <cstddef>
#include <vector>

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
    FloatSource() = default;
    virtual ~FloatSource() = default;
    FloatSource(const FloatSource&) = delete;
    FloatSource& operator=(const FloatSource&) = delete;

    [[nodiscard]] virtual size_t count() const = 0;
    /// Elements first to first+count-1, valid until the next call with this buffer; not necessarily
    /// aligned. Errors: Error when they cannot be read.
    [[nodiscard]] virtual const float* piece(size_t first,
                                             size_t count,
                                             FloatBuffer& buffer) const = 0;
    /// These elements are not needed again soon.
    virtual void release(size_t first, size_t count) const = 0;
    /// Errors: Error(kIo) when the file was cut short while it was read.
    virtual void require_intact() const {}
};

/// Elements that lie in memory. Borrowed.
class FloatsInMemory : public FloatSource {
  public:
    FloatsInMemory(const float* data, size_t count) : data_(data), count_(count) {}
    [[nodiscard]] size_t count() const override { return count_; }
    [[nodiscard]] const float* piece(size_t first, size_t, FloatBuffer&) const override {
        return data_ + first;
    }
    void release(size_t, size_t) const override {}

  private:
    const float* data_;
    size_t count_;
};

}  // namespace npuscope::msaccucmp
