// Some elements of a matrix product: those of some rows of its first operand and some columns of
// its second. It takes the rest of neither, so that of large operands little is read.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "diagnose/judge/op_run.h"

namespace npuscope::diagnose {

/// Places in the result, seen as a matrix: all axes but the last are rows.
struct Block {
    std::vector<int64_t> rows;
    std::vector<int64_t> columns;
};

/// About `elements` of the result, from all over it, and as many of those at `also` (in C order) as
/// half of the rows and columns hold. Empty where the run is no product of two matrices, or its
/// second operand is so small that whole rows cost as little.
[[nodiscard]] std::optional<Block> block_of(const OpRun& run,
                                            int64_t elements,
                                            std::span<const int64_t> also = {});

/// As block_of(), of the first rows and columns.
[[nodiscard]] std::optional<Block> leading_block(const OpRun& run, int64_t elements);

/// Not widened. Empty where the run has no such places, or is no product of two matrices.
[[nodiscard]] std::optional<OpRun> cut_to(const OpRun& run, const Block& block);

/// Whether it is a product of two matrices, each row of whose result comes of a row of the first
/// and what all rows have in common: the second, and no bias or a vector.
[[nodiscard]] bool is_product_of_matrices(const OpRun& run);

}  // namespace npuscope::diagnose
