#include "core/layout/stored_layout.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

#include "core/base/error.h"

namespace npuscope::layout {

namespace {

constexpr int64_t kMostElements = int64_t{1} << 62;
constexpr int64_t kC04 = 4;     // channels of the formats for a network's first layer
constexpr int64_t kCubeK = 16;  // FRACTAL_Z_C04 packs 16 / 4 pixels of 4 channels into a row

/// Axis numbers of the 4-D and 5-D logical shapes.
size_t axis_of(char letter, size_t ndim) {
    const std::string_view letters = ndim == 4 ? "NCHW" : "NCDHW";
    return letters.find(letter);
}

[[noreturn]] void unsupported(Format format, std::span<const int64_t> logical) {
    throw Error(ErrorKind::kUnsupported,
                "a tensor of shape [" + joined(logical, ",") + "] has no " +
                    std::string(name_of(format)) + " layout that is known here");
}

int64_t blocks_of(int64_t extent, int64_t block) {
    return extent / block + (extent % block != 0 ? 1 : 0);
}

/// One letter a digit: N C D H W whole; c and n the blocks of C and N, k and m what is inside one.
struct Pattern {
    Format format;
    size_t ndim;
    std::string_view digits;
    /// Digits of each dim of the shape; 0 ends the list.
    std::array<uint8_t, 8> widths;
};

constexpr auto kPatterns = std::to_array<Pattern>({
    {Format::kNCHW, 4, "NCHW", {1, 1, 1, 1}},
    {Format::kNHWC, 4, "NHWC", {1, 1, 1, 1}},
    {Format::kHWCN, 4, "HWCN", {1, 1, 1, 1}},
    {Format::kCHWN, 4, "CHWN", {1, 1, 1, 1}},
    {Format::kNCDHW, 5, "NCDHW", {1, 1, 1, 1, 1}},
    {Format::kNDHWC, 5, "NDHWC", {1, 1, 1, 1, 1}},
    {Format::kDHWCN, 5, "DHWCN", {1, 1, 1, 1, 1}},
    {Format::kDHWNC, 5, "DHWNC", {1, 1, 1, 1, 1}},
    {Format::kNC1HWC0, 4, "NcHWk", {1, 1, 1, 1, 1}},
    {Format::kNC1HWC0_C04, 4, "NcHWk", {1, 1, 1, 1, 1}},
    {Format::kNHWC1C0, 4, "NHWck", {1, 1, 1, 1, 1}},
    {Format::kC1HWNC0, 4, "cHWNk", {1, 1, 1, 1, 1}},
    {Format::kFRACTAL_Z, 4, "cHWnmk", {3, 1, 1, 1}},
    {Format::kNDC1HWC0, 5, "NDcHWk", {1, 1, 1, 1, 1, 1}},
    {Format::kFRACTAL_Z_3D, 5, "DcHWnmk", {4, 1, 1, 1}},
});

/// Digits of `axis` cut into blocks of `block`: which = 0 the number of the block, 1 inside it.
Digit cut(size_t axis, int64_t extent, int64_t block, bool inside) {
    if (inside) return {.axis = axis, .weight = 1, .extent = block};
    return {.axis = axis, .weight = block, .extent = blocks_of(extent, block)};
}

StoredLayout from_pattern(const Pattern& pattern,
                          std::span<const int64_t> logical,
                          const Blocks& blocks) {
    StoredLayout layout;
    layout.logical.assign(logical.begin(), logical.end());
    const size_t n_axis = axis_of('N', pattern.ndim);
    const size_t c_axis = axis_of('C', pattern.ndim);
    int64_t outputs = logical[n_axis];
    int64_t channels = logical[c_axis];
    const bool is_weight = pattern.digits.find('m') != std::string_view::npos;
    if (is_weight && blocks.groups > 1 && outputs > 0 && channels > 0) {
        if (outputs % blocks.groups != 0)
            throw Error(ErrorKind::kFormat,
                        std::to_string(outputs) + " output channels cannot be divided into " +
                            std::to_string(blocks.groups) + " groups");
        layout.groups = blocks.groups;
        const int64_t own = outputs / blocks.groups;
        // lcm(x, block) / x is how many x fill whole blocks.
        const int64_t fill_c = blocks.c0 / std::gcd(channels, blocks.c0);
        const int64_t fill_n = blocks.n0 / std::gcd(own, blocks.n0);
        layout.enlarge = std::min(std::lcm(fill_c, fill_n), blocks.groups);
        channels = checked_numel(std::array{channels, layout.enlarge});
        outputs = own * layout.enlarge;
    }
    for (const char letter : pattern.digits) {
        switch (letter) {
            case 'c':
            case 'k':
                layout.digits.push_back(cut(c_axis, channels, blocks.c0, letter == 'k'));
                break;
            case 'n':
            case 'm':
                layout.digits.push_back(cut(n_axis, outputs, blocks.n0, letter == 'm'));
                break;
            default: {
                const size_t axis = axis_of(letter, pattern.ndim);
                layout.digits.push_back({.axis = axis, .weight = 1, .extent = logical[axis]});
            }
        }
    }
    size_t next = 0;
    for (const uint8_t width : pattern.widths) {
        if (width == 0) break;
        Dims extents;
        for (size_t i = 0; i < width; ++i)
            extents.push_back(layout.digits[next++].extent);
        if (layout.shape.empty() && layout.groups > 1)
            extents.push_back(blocks_of(layout.groups, layout.enlarge));
        layout.shape.push_back(checked_numel(extents));
    }
    return layout;
}

/// H and W are one index here, so that its digits can be cut across rows: H holds H * W, W holds 1.
StoredLayout fractal_z_c04(std::span<const int64_t> logical, const Blocks& blocks) {
    if (logical[1] > kC04) unsupported(Format::kFRACTAL_Z_C04, logical);
    StoredLayout layout;
    const int64_t pixels = checked_numel(logical.subspan(2));
    layout.logical = {logical[0], logical[1], pixels, 1};
    layout.digits = {cut(2, pixels, kCubeK / kC04, false),
                     cut(0, logical[0], blocks.n0, false),
                     cut(0, logical[0], blocks.n0, true),
                     cut(2, pixels, kCubeK / kC04, true),
                     {.axis = 1, .weight = 1, .extent = kC04}};
    layout.shape = {layout.digits[0].extent, layout.digits[1].extent, blocks.n0, kCubeK};
    return layout;
}

StoredLayout fractal_nz(std::span<const int64_t> logical, const Blocks& blocks) {
    StoredLayout layout;
    layout.logical.assign(logical.begin(), logical.end());
    if (logical.empty()) unsupported(Format::kFRACTAL_NZ, logical);
    if (logical.size() == 1) layout.logical.push_back(1);
    const size_t row = layout.logical.size() - 2;
    for (size_t i = 0; i < row; ++i)
        layout.digits.push_back({.axis = i, .weight = 1, .extent = layout.logical[i]});
    layout.digits.push_back(cut(row + 1, layout.logical[row + 1], blocks.c0, false));
    layout.digits.push_back(cut(row, layout.logical[row], blocks.n0, false));
    layout.digits.push_back(cut(row, layout.logical[row], blocks.n0, true));
    layout.digits.push_back(cut(row + 1, layout.logical[row + 1], blocks.c0, true));
    for (const Digit& digit : layout.digits)
        layout.shape.push_back(digit.extent);
    return layout;
}

StoredLayout plain(std::span<const int64_t> logical) {
    StoredLayout layout;
    layout.logical.assign(logical.begin(), logical.end());
    layout.shape = layout.logical;
    for (size_t i = 0; i < logical.size(); ++i)
        layout.digits.push_back({.axis = i, .weight = 1, .extent = logical[i]});
    return layout;
}

}  // namespace

int64_t c0_of(DType dtype) {
    return dtype == DType::kInt8 || dtype == DType::kUInt8 ? 32 : 16;
}

int64_t checked_numel(std::span<const int64_t> dims) {
    int64_t count = 1;
    bool is_empty = false;
    for (const int64_t dim : dims) {
        if (dim < 0) throw Error(ErrorKind::kFormat, "a dimension is negative");
        is_empty = is_empty || dim == 0;
    }
    if (is_empty) return 0;
    for (const int64_t dim : dims) {
        if (count > kMostElements / dim)
            throw Error(ErrorKind::kFormat,
                        "shape [" + joined(dims, ",") + "] has more elements than any memory");
        count *= dim;
    }
    return count;
}

std::string joined(std::span<const int64_t> dims, const char* separator) {
    std::string text;
    for (size_t i = 0; i < dims.size(); ++i)
        text += (i == 0 ? "" : separator) + std::to_string(dims[i]);
    return text;
}

int64_t StoredLayout::numel() const {
    return checked_numel(shape);
}

StoredLayout stored_layout(Format format, std::span<const int64_t> logical, const Blocks& blocks) {
    static_cast<void>(checked_numel(logical));
    if (blocks.c0 < 1 || blocks.n0 < 1 || blocks.groups < 1)
        throw Error(ErrorKind::kFormat, "a block or a number of groups is below 1");
    StoredLayout layout;
    const auto* const pattern =
        std::find_if(kPatterns.begin(), kPatterns.end(), [&](const Pattern& row) {
            return row.format == format;
        });
    if (pattern != kPatterns.end()) {
        if (logical.size() != pattern->ndim) unsupported(format, logical);
        Blocks own = blocks;
        if (format == Format::kNC1HWC0_C04) own.c0 = kC04;
        layout = from_pattern(*pattern, logical, own);
    } else if (format == Format::kFRACTAL_Z_C04 && logical.size() == 4) {
        layout = fractal_z_c04(logical, blocks);
    } else if (format == Format::kFRACTAL_NZ) {
        layout = fractal_nz(logical, blocks);
    } else if (format == Format::kND) {
        layout = plain(logical);
    } else {
        unsupported(format, logical);
    }
    static_cast<void>(layout.numel());
    return layout;
}

Dims storage_shape(Format format, std::span<const int64_t> logical, const Blocks& blocks) {
    return stored_layout(format, logical, blocks).shape;
}

}  // namespace npuscope::layout
