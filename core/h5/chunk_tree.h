// Elements in compressed pieces. Included by core/h5/*.cpp only.
#pragma once

#include <optional>
#include <vector>

#include "core/h5/append_file.h"
#include "core/h5/header_builder.h"
#include "core/tensor/tensor.h"

namespace npuscope::h5 {

/// A dataset's pieces: at most 1 MB each, slabs of consecutive elements.
struct Chunked {
    uint64_t tree = 0;            ///< address of their B-tree
    std::vector<uint64_t> chunk;  ///< shape of a piece; edges are filled up with zeros
};

/// Writes the elements byte-shuffled and deflated, or writes nothing where the first piece hardly
/// shrinks. A piece that does not shrink is stored shuffled only.
/// Source  HDF5 File Format Specification 3.0, III.A.1 (version 1 B-trees, raw data chunks).
std::optional<Chunked> write_chunked(AppendFile& file, const TensorView& elements, int level);

}  // namespace npuscope::h5
