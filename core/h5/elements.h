// A dataset's elements, read piece by piece instead of whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/h5/h5.h"
#include "core/tensor/element_source.h"

namespace npuscope::h5 {

class ChunkReader;
class MappedFile;

/// Made by Reader::elements(), whose Reader outlives it. Threads: const calls may run at once;
/// those that need libhdf5 wait for each other.
class Elements : public ElementSource {
  public:
    Elements(Elements&&) noexcept;
    Elements& operator=(Elements&&) noexcept;
    Elements(const Elements&) = delete;
    Elements& operator=(const Elements&) = delete;
    ~Elements() override;

    [[nodiscard]] DType dtype() const override { return dtype_; }
    [[nodiscard]] const Shape& shape() const override { return shape_; }
    [[nodiscard]] int64_t numel() const override { return numel_; }

    /// `count` elements from flat index `first` on, in native byte order: more than 1 MB lie in the
    /// mapped file where the layout allows (NOT necessarily aligned), else they are read into
    /// `buffer`; so are bools, whose bytes in the file may be more than 0 and 1.
    /// Ask for some 64 Ki elements at a time. Valid until the next call with that buffer.
    /// Errors: Error(kFormat) when they cannot be read, Error(kInternal) when they are not there.
    [[nodiscard]] const std::byte* range(int64_t first,
                                         int64_t count,
                                         std::vector<std::byte>& buffer) const override;
    /// Whether the mapped file holds them as they are asked for.
    [[nodiscard]] bool is_mapped() const { return data_ != nullptr && !swapped_; }
    [[nodiscard]] Tensor whole() const override;
    /// Nor where they are few: their copy costs less than mapping their pages.
    [[nodiscard]] const std::byte* in_place() const override;
    /// Lets the system take back the memory of that range's pages; no-op when not mapped.
    void release(int64_t first, int64_t count) const override;
    /// Errors: Error(kIo) when the file was cut short while it was mapped: what was read since then
    /// may be zeros.
    void require_intact() const override;

  private:
    friend class Reader;
    struct Source;  ///< an open dataset of libhdf5
    Elements();
    void require_range(int64_t first, int64_t count) const;
    void read(int64_t first, int64_t count, std::byte* target) const;
    void read_by_library(int64_t first, int64_t count, std::byte* target) const;

    DType dtype_ = DType::kFloat32;
    Shape shape_;
    int64_t numel_ = 0;
    const std::byte* data_ = nullptr;  ///< in the mapping, where they lie there in order
    bool swapped_ = false;             ///< the file has the other byte order
    std::unique_ptr<const ChunkReader> chunks_;
    const std::filesystem::path* path_ = nullptr;
    std::shared_ptr<const MappedFile> mapping_;  ///< shared with Index, see mapped_file.h
    std::unique_ptr<Source> source_;
};

}  // namespace npuscope::h5
