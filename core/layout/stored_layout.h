// Where each element of a tensor lies in memory, format by format.
//
// A tensor has a logical shape: N C H W, N C D H W, or the dims of a matrix. A format stores it as
// a row of digits, outermost first; each digit is a part of one logical index, the way 37 is 3 and
// 7. NC1HWC0 with C0 = 16 stores the channel c as c / 16 (weight 16) and c % 16 (weight 1).
// What the last block of a split index leaves over is padding.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/dtype/dtype.h"
#include "core/layout/format.h"

namespace npuscope::layout {

using Dims = std::vector<int64_t>;

/// Sizes of the blocks that private formats cut indexes into.
struct Blocks {
    int64_t c0 = 16;     ///< channels, or columns of FRACTAL_NZ
    int64_t n0 = 16;     ///< output channels, or rows of FRACTAL_NZ
    int64_t groups = 1;  ///< of a grouped convolution's weight in FRACTAL_Z
};

/// Channels in one block: 32 for int8 and uint8, else 16 (float32 too, which the compiler casts to
/// float16 before the Cube). Source: DtypeMKN of CANN's platform files.
[[nodiscard]] int64_t c0_of(DType dtype);

struct Digit {
    size_t axis = 0;     ///< of the logical shape
    int64_t weight = 1;  ///< the logical index is the sum of weight * digit
    int64_t extent = 1;
};

/// Shape of what is stored, and how it is read. Numbers of elements fit 62 bits.
struct StoredLayout {
    Dims logical;               ///< N C H W, N C D H W or any matrix
    std::vector<Digit> digits;  ///< outermost first
    Dims shape;                 ///< as a dump names it; some dims hold several digits
    // A grouped weight: group k is in the block k / enlarge of the outermost dim, its channels
    // shifted by (k % enlarge) * C and its outputs by (k % enlarge) * (N / groups).
    int64_t groups = 1;
    int64_t enlarge = 1;

    [[nodiscard]] int64_t numel() const;
};

/// The layout of `logical` in `format`.
///
/// Shapes  4 dims N C H W:    NCHW NHWC HWCN CHWN NC1HWC0 NHWC1C0 C1HWNC0 NC1HWC0_C04 FRACTAL_Z
///                            FRACTAL_Z_C04 (C up to 4)
///         5 dims N C D H W:  NCDHW NDHWC DHWCN DHWNC NDC1HWC0 FRACTAL_Z_3D
///         any dims:          ND, and FRACTAL_NZ (of the last two; a vector is one column of rows)
/// Errors  Error(kUnsupported) another format or number of dims, Error(kFormat) a negative or too
///         large size.
/// Source  CANN manual "Data formats"; TransferShape of the graph engine.
[[nodiscard]] StoredLayout stored_layout(Format format,
                                         std::span<const int64_t> logical,
                                         const Blocks& blocks = {});

/// The dims that a dump of `logical` in `format` names: stored_layout().shape.
[[nodiscard]] Dims storage_shape(Format format,
                                 std::span<const int64_t> logical,
                                 const Blocks& blocks = {});

/// Product of sizes. Errors: Error(kFormat) when one is negative or the product exceeds 62 bits.
[[nodiscard]] int64_t checked_numel(std::span<const int64_t> dims);

/// "2x3x4".
[[nodiscard]] std::string joined(std::span<const int64_t> dims, const char* separator = "x");

}  // namespace npuscope::layout
