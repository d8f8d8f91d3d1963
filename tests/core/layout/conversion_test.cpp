// Every pair of formats against formulas written out for each format by hand.
#include "core/layout/conversion.h"

#include <cstring>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace npuscope::layout {
namespace {

struct Index {
    int64_t n, c, d, h, w;
};
struct Sizes {
    int64_t n, c, d, h, w;
};

int64_t ceil_div(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

/// Position of an element in memory, as the manual's pictures say.
int64_t position(Format format, const Index& i, const Sizes& s, int64_t c0) {
    const int64_t c1 = ceil_div(s.c, c0);
    const int64_t n1 = ceil_div(s.n, 16);
    switch (format) {
        case Format::kND:
        case Format::kNCHW:
            return ((i.n * s.c + i.c) * s.h + i.h) * s.w + i.w;
        case Format::kNHWC:
            return ((i.n * s.h + i.h) * s.w + i.w) * s.c + i.c;
        case Format::kHWCN:
            return ((i.h * s.w + i.w) * s.c + i.c) * s.n + i.n;
        case Format::kCHWN:
            return ((i.c * s.h + i.h) * s.w + i.w) * s.n + i.n;
        case Format::kNC1HWC0:
        case Format::kNC1HWC0_C04:
            return (((i.n * c1 + i.c / c0) * s.h + i.h) * s.w + i.w) * c0 + i.c % c0;
        case Format::kNHWC1C0:
            return (((i.n * s.h + i.h) * s.w + i.w) * c1 + i.c / c0) * c0 + i.c % c0;
        case Format::kC1HWNC0:
            return (((i.c / c0 * s.h + i.h) * s.w + i.w) * s.n + i.n) * c0 + i.c % c0;
        case Format::kFRACTAL_Z: {
            const int64_t row = (i.c / c0 * s.h + i.h) * s.w + i.w;
            return ((row * n1 + i.n / 16) * 16 + i.n % 16) * c0 + i.c % c0;
        }
        case Format::kFRACTAL_Z_C04: {
            const int64_t k = (i.h * s.w + i.w) * 4 + i.c;
            return ((k / 16 * n1 + i.n / 16) * 16 + i.n % 16) * 16 + k % 16;
        }
        case Format::kNCDHW:
            return (((i.n * s.c + i.c) * s.d + i.d) * s.h + i.h) * s.w + i.w;
        case Format::kNDHWC:
            return (((i.n * s.d + i.d) * s.h + i.h) * s.w + i.w) * s.c + i.c;
        case Format::kDHWCN:
            return (((i.d * s.h + i.h) * s.w + i.w) * s.c + i.c) * s.n + i.n;
        case Format::kDHWNC:
            return (((i.d * s.h + i.h) * s.w + i.w) * s.n + i.n) * s.c + i.c;
        case Format::kNDC1HWC0: {
            const int64_t outer = (i.n * s.d + i.d) * c1 + i.c / c0;
            return ((outer * s.h + i.h) * s.w + i.w) * c0 + i.c % c0;
        }
        case Format::kFRACTAL_Z_3D: {
            const int64_t row = ((i.d * c1 + i.c / c0) * s.h + i.h) * s.w + i.w;
            return ((row * n1 + i.n / 16) * 16 + i.n % 16) * c0 + i.c % c0;
        }
        case Format::kFRACTAL_NZ: {  // of the last two dims, H and W
            const int64_t w1 = ceil_div(s.w, c0);
            const int64_t h1 = ceil_div(s.h, 16);
            const int64_t lead = i.n * s.c + i.c;
            const int64_t block = (lead * w1 + i.w / c0) * h1 + i.h / 16;
            return (block * 16 + i.h % 16) * c0 + i.w % c0;
        }
        default:
            ADD_FAILURE() << "no formula for " << name_of(format);
            return 0;
    }
}

void for_each_index(const Sizes& s, const std::function<void(const Index&, int64_t)>& visit) {
    int64_t number = 0;
    Index i{};
    for (i.n = 0; i.n < s.n; ++i.n)
        for (i.c = 0; i.c < s.c; ++i.c)
            for (i.d = 0; i.d < s.d; ++i.d)
                for (i.h = 0; i.h < s.h; ++i.h)
                    for (i.w = 0; i.w < s.w; ++i.w)
                        visit(i, ++number);
}

Dims logical_of(const Sizes& s, bool is_3d) {
    if (is_3d) return {s.n, s.c, s.d, s.h, s.w};
    return {s.n, s.c, s.h, s.w};
}

/// The tensor 1, 2, 3 ... in memory order of `format`, zeros in the padding.
template <class T>
std::vector<T> stored(const StoredLayout& layout, Format format, const Sizes& s, int64_t c0) {
    std::vector<T> elements(static_cast<size_t>(layout.numel()));
    for_each_index(s, [&](const Index& i, int64_t number) {
        elements.at(static_cast<size_t>(position(format, i, s, c0))) = static_cast<T>(number);
    });
    return elements;
}

template <class T>
std::vector<T> converted(const StoredLayout& from,
                         const StoredLayout& to,
                         const std::vector<T>& elements) {
    const auto bytes =
        convert(from, to, sizeof(T), reinterpret_cast<const std::byte*>(elements.data()));
    std::vector<T> result(bytes.size() / sizeof(T));
    if (!bytes.empty()) std::memcpy(result.data(), bytes.data(), bytes.size());
    return result;
}

template <class T>
void expect_all_pairs(const std::vector<Format>& formats, const Sizes& s, int64_t c0, bool is_3d) {
    for (const Format from : formats)
        for (const Format to : formats) {
            const auto own = [&](Format format) {
                return format == Format::kNC1HWC0_C04 ? int64_t{4} : c0;
            };
            const Dims logical = logical_of(s, is_3d);
            const StoredLayout source = stored_layout(from, logical, {.c0 = c0});
            const StoredLayout target = stored_layout(to, logical, {.c0 = c0});
            EXPECT_EQ(converted(source, target, stored<T>(source, from, s, own(from))),
                      stored<T>(target, to, s, own(to)))
                << name_of(from) << " to " << name_of(to) << ", " << joined(logical) << ", C0 "
                << c0;
        }
}

const std::vector<Format> kFormats4D = {Format::kND,
                                        Format::kNCHW,
                                        Format::kNHWC,
                                        Format::kHWCN,
                                        Format::kCHWN,
                                        Format::kNC1HWC0,
                                        Format::kNHWC1C0,
                                        Format::kC1HWNC0,
                                        Format::kNC1HWC0_C04,
                                        Format::kFRACTAL_Z,
                                        Format::kFRACTAL_NZ};
const std::vector<Format> kFormats5D = {Format::kNCDHW,
                                        Format::kNDHWC,
                                        Format::kDHWCN,
                                        Format::kDHWNC,
                                        Format::kNDC1HWC0,
                                        Format::kFRACTAL_Z_3D};

TEST(Conversion, agrees_with_the_formulas_for_every_pair_of_4d_formats) {
    for (const Sizes& s : {Sizes{1, 1, 1, 1, 1},
                           Sizes{1, 16, 1, 3, 2},
                           Sizes{2, 5, 1, 3, 4},
                           Sizes{17, 33, 1, 1, 3},
                           Sizes{3, 48, 1, 17, 1},
                           Sizes{33, 3, 1, 2, 19},
                           Sizes{2, 0, 1, 3, 4}})
        expect_all_pairs<uint16_t>(kFormats4D, s, 16, false);
}

TEST(Conversion, agrees_with_the_formulas_for_every_pair_of_5d_formats) {
    for (const Sizes& s : {Sizes{1, 1, 1, 1, 1}, Sizes{2, 5, 3, 2, 4}, Sizes{17, 35, 2, 3, 1}})
        expect_all_pairs<uint32_t>(kFormats5D, s, 16, true);
}

TEST(Conversion, takes_other_blocks_and_elements_of_any_size) {
    const Sizes s{18, 37, 1, 3, 5};
    expect_all_pairs<uint32_t>(kFormats4D, s, 32, false);
    expect_all_pairs<uint64_t>(kFormats4D, s, 8, false);
    expect_all_pairs<uint8_t>(kFormats4D, {2, 5, 1, 3, 4}, 32, false);
    expect_all_pairs<__uint128_t>({Format::kNCHW, Format::kNC1HWC0}, s, 16, false);
}

TEST(Conversion, packs_the_pixels_of_fractal_z_c04) {
    for (const Sizes& s :
         {Sizes{1, 1, 1, 1, 1}, Sizes{5, 3, 1, 7, 7}, Sizes{17, 4, 1, 3, 5}, Sizes{2, 2, 1, 2, 2}})
        expect_all_pairs<uint16_t>({Format::kFRACTAL_Z_C04,
                                    Format::kNCHW,
                                    Format::kNHWC,
                                    Format::kHWCN,
                                    Format::kNC1HWC0,
                                    Format::kFRACTAL_Z},
                                   s,
                                   16,
                                   false);
}

TEST(Conversion, works_on_large_blocks_too) {
    expect_all_pairs<uint16_t>({Format::kNCHW,
                                Format::kNHWC,
                                Format::kHWCN,
                                Format::kNC1HWC0,
                                Format::kFRACTAL_Z,
                                Format::kFRACTAL_NZ},
                               {3, 70, 1, 45, 67},
                               16,
                               false);
}

TEST(Conversion, crops_and_pads_where_the_target_has_another_size) {
    const Sizes s{2, 5, 1, 3, 4};
    const StoredLayout source = stored_layout(Format::kNC1HWC0, Dims{2, 16, 3, 4});
    const auto elements = stored<uint16_t>(source, Format::kNC1HWC0, {2, 16, 1, 3, 4}, 16);
    const StoredLayout target = stored_layout(Format::kNHWC, Dims{1, 5, 2, 9});
    const auto result = converted(source, target, elements);
    ASSERT_EQ(result.size(), 90u);
    EXPECT_TRUE(Conversion(source, target).pads());
    for_each_index({1, 5, 1, 2, 9}, [&](const Index& i, int64_t) {
        const auto at = position(Format::kNHWC, i, {1, 5, 1, 2, 9}, 16);
        const int64_t there = ((i.c * 3) + i.h) * s.w + i.w + 1;
        EXPECT_EQ(result[static_cast<size_t>(at)], i.w < 4 ? there : 0);
    });
}

TEST(Conversion, finds_every_element_of_a_grouped_weight_once) {
    struct Case {
        Sizes s;
        int64_t groups;
        int64_t enlarge;
        Dims shape;
    };
    // E = min(lcm(lcm(C, 16) / C, lcm(N / g, 16) / (N / g)), g)
    for (const Case& c : {Case{{8, 4, 1, 2, 3}, 2, 2, {6, 1, 16, 16}},
                          Case{{32, 16, 1, 1, 1}, 2, 1, {2, 1, 16, 16}},
                          Case{{60, 8, 1, 3, 1}, 6, 6, {9, 4, 16, 16}},
                          Case{{24, 8, 1, 1, 2}, 3, 2, {4, 1, 16, 16}},
                          Case{{64, 8, 1, 1, 2}, 8, 2, {8, 1, 16, 16}}}) {
        const StoredLayout plain = stored_layout(Format::kNCHW, logical_of(c.s, false));
        const StoredLayout packed =
            stored_layout(Format::kFRACTAL_Z, logical_of(c.s, false), {.groups = c.groups});
        EXPECT_EQ(packed.enlarge, c.enlarge);
        EXPECT_EQ(packed.shape, c.shape);
        const auto elements = stored<uint32_t>(plain, Format::kNCHW, c.s, 16);
        const auto result = converted(plain, packed, elements);
        std::vector<uint32_t> expected(result.size());
        const int64_t own = c.s.n / c.groups;
        const int64_t c1 = ceil_div(c.enlarge * c.s.c, 16);
        const int64_t n1 = ceil_div(c.enlarge * own, 16);
        for_each_index(c.s, [&](const Index& i, int64_t number) {
            const int64_t group = i.n / own;
            const int64_t dst_c = group % c.enlarge * c.s.c + i.c;
            const int64_t dst_n = group % c.enlarge * own + i.n % own;
            int64_t at = group / c.enlarge * c1 + dst_c / 16;
            at = (at * c.s.h + i.h) * c.s.w + i.w;
            at = ((at * n1 + dst_n / 16) * 16 + dst_n % 16) * 16 + dst_c % 16;
            expected.at(static_cast<size_t>(at)) = static_cast<uint32_t>(number);
        });
        EXPECT_EQ(result, expected) << joined(logical_of(c.s, false)) << ", groups " << c.groups;
        EXPECT_EQ(converted(packed, plain, result), elements);
    }
}

TEST(Conversion, in_pieces_gives_what_the_whole_gives) {
    const Dims logical{3, 37, 5, 6};
    for (const Format from : kFormats4D)
        for (const Format to : kFormats4D)
            for (const int64_t most : {1, 7, 100, 1500, 1 << 20}) {
                const Conversion conversion(stored_layout(from, logical),
                                            stored_layout(to, logical));
                const int64_t numel = conversion.source().numel();
                std::vector<uint32_t> source(static_cast<size_t>(numel));
                std::iota(source.begin(), source.end(), 1u);
                std::vector<uint32_t> whole(static_cast<size_t>(conversion.target().numel()));
                std::vector<uint32_t> target = whole;
                const auto bytes = [](auto& v) { return reinterpret_cast<std::byte*>(v.data()); };
                conversion.run(4, bytes(source), bytes(whole));
                int64_t next = 0;
                for (const SourcePiece& piece : conversion.pieces(most)) {
                    ASSERT_EQ(piece.first, next);
                    ASSERT_GT(piece.count, 0);
                    next += piece.count;
                    std::vector<uint32_t> part(source.begin() + piece.first, source.begin() + next);
                    conversion.run_piece(piece, 4, bytes(part), bytes(target));
                }
                EXPECT_EQ(next, numel);
                EXPECT_EQ(target, whole) << name_of(from) << " to " << name_of(to) << " " << most;
            }
}

TEST(Conversion, rejects_layouts_of_other_dimensions) {
    EXPECT_THROW(Conversion(stored_layout(Format::kND, Dims{2, 3}),
                            stored_layout(Format::kNCHW, Dims{1, 1, 2, 3})),
                 Error);
}

}  // namespace
}  // namespace npuscope::layout
