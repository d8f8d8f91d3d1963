// Moves a tensor from one memory format to another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/layout/stored_layout.h"

namespace npuscope::layout {

/// Half-open range of one logical index.
struct Window {
    int64_t begin = 0;
    int64_t end = 0;
};

/// Elements [first, first + count) of the source in memory order, and which logical indexes they
/// hold.
struct SourcePiece {
    int64_t first = 0;
    int64_t count = 0;
    std::vector<Window> windows;
};

/// A plan from one layout to another of as many logical dims. Each index is copied as far as both
/// have it: where the target is smaller the source is cropped, where it is larger, and in its
/// padding, the target is left as it was (so fill it with zeros first). Threads: const calls may
/// run at once, for pieces too.
class Conversion {
  public:
    /// Errors: Error(kUnsupported) when the numbers of logical dims differ.
    Conversion(StoredLayout source, StoredLayout target);

    [[nodiscard]] const StoredLayout& source() const { return source_; }
    [[nodiscard]] const StoredLayout& target() const { return target_; }
    /// True when some element of the target is not written.
    [[nodiscard]] bool pads() const;

    /// The whole tensor; `element_size` in bytes, 1 to 16.
    void run(size_t element_size, const std::byte* source, std::byte* target) const;

    /// The source cut, in memory order, into pieces of about `most` elements or fewer (a grouped
    /// weight stays whole), for sources that are read bit by bit.
    [[nodiscard]] std::vector<SourcePiece> pieces(int64_t most) const;
    /// `elements` are those of the piece, `target` is the whole target.
    void run_piece(const SourcePiece& piece,
                   size_t element_size,
                   const std::byte* elements,
                   std::byte* target) const;

  private:
    StoredLayout source_;
    StoredLayout target_;
};

/// Converts a whole tensor, padding zeroed: for tensors that fit memory easily.
[[nodiscard]] std::vector<std::byte> convert(const StoredLayout& source,
                                             const StoredLayout& target,
                                             size_t element_size,
                                             const std::byte* elements);

}  // namespace npuscope::layout
