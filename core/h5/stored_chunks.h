// How a dataset in pieces lies in a file. Included by core/h5/*.cpp only.
//
// Source: HDF5 File Format Specification 3.0, III.A.1 (version 1 B-trees of chunks), IV.A.2.i
// (layout), IV.A.2.l (filters). Parsers throw Damaged or Unsupported.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/h5/format_cursor.h"
#include "core/h5/messages.h"

namespace npuscope::h5 {

enum class Filter : uint8_t { kDeflate, kShuffle, kFletcher32 };

/// In the order in which they were applied.
struct Filters {
    static constexpr size_t kMost = 4;
    std::array<Filter, kMost> list{};
    uint8_t count = 0;
};
/// Unsupported for other filters, and for orders that nobody writes.
Filters read_filters(Cursor in);

/// The element that stands for what was never written, as the file stores elements. Zeros where
/// none is named. Unsupported where it is larger than any number.
struct FillValue {
    std::array<std::byte, 16> bytes{};
};
FillValue read_fill_value(Cursor in, uint32_t element_bytes);
FillValue read_old_fill_value(Cursor in, uint32_t element_bytes);

/// What is known of a dataset beside its shape. All of it for datasets in pieces; of others, of
/// which nothing was ever written, the fill value alone.
struct StoredChunks {
    bool is_chunked = false;
    uint64_t tree = kUndefinedAddress;
    std::array<uint32_t, kMostDimensions> chunk{};  ///< shape of a piece, as many as the dataset's
    uint32_t element_bytes = 0;
    Filters filters;
    FillValue fill;
};

/// One piece.
struct StoredChunk {
    uint64_t number = 0;  ///< in row-major order of the pieces
    uint64_t address = 0;
    uint32_t bytes = 0;
    uint32_t filters_left_out = 0;  ///< a bit for each
};

/// Bytes of a piece's elements, and how many pieces there are. Damaged where that cannot be.
struct ChunkGrid {
    uint64_t chunk_bytes = 0;
    uint64_t count = 0;
};
[[nodiscard]] ChunkGrid grid_of(const StoredChunks& stored, std::span<const int64_t> shape);

/// All pieces in ascending order of their numbers, those outside of the shape left out.
[[nodiscard]] std::vector<StoredChunk> list_chunks(const FileBytes& file,
                                                   WorkLimit& limit,
                                                   const StoredChunks& stored,
                                                   std::span<const int64_t> shape);

}  // namespace npuscope::h5
