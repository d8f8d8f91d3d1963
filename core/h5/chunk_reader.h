// The elements of a dataset in pieces, straight from the mapped file. Included by core/h5/*.cpp
// only.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/h5/stored_chunks.h"
#include "core/h5/unfiltered.h"

namespace npuscope::h5 {

/// Unpacked pieces are kept while neighbours are likely to be asked for: 64 MB of them, or what one
/// step along the outermost axis takes (at most 256 MB), and always one. Each is unpacked once when
/// elements are read in order.
/// Threads: const calls may run at once.
class ChunkReader {
  public:
    /// `name` for messages; the shape has elements. Throws Damaged when the pieces cannot be
    /// listed, Error(kFormat) when the shape has more elements than can come of what is stored.
    ChunkReader(const FileBytes& file,
                const StoredChunks& stored,
                std::span<const int64_t> shape,
                std::string name);

    /// Elements from flat index `first` on, as the file stores them. Errors: Error(kFormat).
    void read(uint64_t first, uint64_t count, std::byte* target) const;
    /// Lets go of what is kept.
    void forget() const;

  private:
    struct Slot {
        std::mutex mutex;
        std::vector<std::byte> bytes;  ///< empty until it is unpacked
        std::list<uint64_t>::iterator place;
    };

    void merge_axes(std::span<const int64_t> shape);
    [[nodiscard]] const StoredChunk* find(uint64_t number) const;
    [[nodiscard]] std::shared_ptr<Slot> slot(uint64_t number) const;
    void unpack(const StoredChunk& chunk, std::vector<std::byte>& bytes) const;
    void fill(std::byte* target, uint64_t count) const;

    FileBytes file_;
    StoredChunks stored_;
    std::string name_;
    std::vector<StoredChunk> chunks_;
    uint64_t chunk_bytes_ = 0;
    // Axes behind the last that is cut are one with it.
    std::vector<uint64_t> dims_, chunk_, grid_;
    uint64_t most_kept_ = 0;

    mutable std::mutex mutex_;  ///< of the lists below
    mutable std::list<uint64_t> recent_;
    mutable std::unordered_map<uint64_t, std::shared_ptr<Slot>> slots_;
};

}  // namespace npuscope::h5
