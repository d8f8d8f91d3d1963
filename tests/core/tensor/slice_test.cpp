#include "core/tensor/slice.h"

#include <array>

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace npuscope {
namespace {

/// first, count and step by dimension; empty where it lies outside.
std::vector<std::array<int64_t, 3>> of(const char* text, const Shape& shape) {
    std::vector<std::array<int64_t, 3>> found;
    if (const auto stretches = Slice(text).in(shape))
        for (const Stretch& each : *stretches)
            found.push_back({each.first, each.count, each.step});
    return found;
}

using Found = std::vector<std::array<int64_t, 3>>;

TEST(Slice, counts_as_numpy_does) {
    EXPECT_EQ(of("...", {2, 3}), (Found{{0, 2, 1}, {0, 3, 1}}));
    EXPECT_EQ(of("1", {2, 3}), (Found{{1, 1, 1}, {0, 3, 1}}));
    EXPECT_EQ(of("-1, ...", {2, 3}), (Found{{1, 1, 1}, {0, 3, 1}}));
    EXPECT_EQ(of("..., -2:", {2, 5}), (Found{{0, 2, 1}, {3, 2, 1}}));
    EXPECT_EQ(of("0,...,1:9:3", {2, 7, 10}), (Found{{0, 1, 1}, {0, 7, 1}, {1, 3, 3}}));
    EXPECT_EQ(of("::-3", {10}), (Found{{0, 4, 3}}));
    EXPECT_EQ(of("7:2:-2", {10}), (Found{{3, 3, 2}}));
    EXPECT_EQ(of("-100:100", {4}), (Found{{0, 4, 1}}));
    EXPECT_EQ(of("...", {}), (Found{}));
    EXPECT_TRUE(Slice("...").in({}).has_value());
}

TEST(Slice, lies_outside_where_nothing_is_meant) {
    for (const char* text : {"4", "-5", "4:", "2:2", "0,0", "...,0,0", "0:4:-1"})
        EXPECT_FALSE(Slice(text).in({4}).has_value()) << text;
    EXPECT_FALSE(Slice(":").in({0}).has_value());
}

TEST(Slice, rejects_what_numpy_would_not_take_or_what_is_no_slice) {
    for (const char* text : {"",
                             ",",
                             "1,",
                             "a",
                             "1.5",
                             "1:2:3:4",
                             "::0",
                             "...,...",
                             "[1]",
                             "None",
                             "99999999999999999999"})
        EXPECT_THROW(Slice{text}, Error) << text;
    try {
        const Slice slice("0-9");
        FAIL();
    } catch (const Error& failure) {
        EXPECT_STREQ(failure.what(),
                     "the slice '[0-9]' has '0-9', which is no whole number; write it as NumPy "
                     "does: [..., -3:], [0, 2:10:2]");
    }
}

}  // namespace
}  // namespace npuscope
