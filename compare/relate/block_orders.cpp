#include "compare/relate/block_orders.h"

#include <algorithm>
#include <numeric>

namespace npuscope::compare {

namespace {

using Loop = View::Loop;

/// Fewer elements are in some order by chance.
constexpr int64_t kLeastBlock = 2;

/// The view with one loop as blocks, and the places inside of them.
View in_blocks(const View& view, size_t loop, const Loop& blocks) {
    View made = view;
    const int64_t length = view.loops[loop].extent / blocks.extent;
    made.loops[loop] = blocks;
    made.loops.insert(made.loops.begin() + static_cast<int64_t>(loop) + 1,
                      {length, view.loops[loop].stride});
    return made;
}

auto ordered_loop(const View& view) {
    return std::ranges::find_if(view.loops, &Loop::is_ordered);
}

}  // namespace

std::vector<View> block_orders(const View& view) {
    std::vector<View> found;
    for (int64_t count = 2; count <= std::ssize(Loop{}.order); ++count)
        for (size_t loop = 0; loop < view.loops.size(); ++loop) {
            const auto& [extent, stride, tile, jump, order] = view.loops[loop];
            if (extent % count != 0 || extent < kLeastBlock * count || stride == 0) continue;
            Loop blocks{.extent = count, .stride = stride * (extent / count)};
            std::iota(blocks.order.begin(), blocks.order.begin() + count, uint8_t{0});
            const auto end = blocks.order.begin() + count;
            while (std::next_permutation(blocks.order.begin(), end))
                found.push_back(in_blocks(view, loop, blocks));
        }
    return found;
}

bool has_block_order(const View& view) {
    return ordered_loop(view) != view.loops.end();
}

View without_block_order(const View& view) {
    View plain = view;
    const auto blocks = std::ranges::find_if(plain.loops, &Loop::is_ordered);
    if (blocks == plain.loops.end()) return plain;
    const auto inside = blocks + 1;
    *inside = {blocks->extent * inside->extent, inside->stride};
    plain.loops.erase(blocks);
    return plain;
}

std::string text_of_block_order(const View& view, const Shape& source) {
    const auto blocks = ordered_loop(view);
    const Loop& inside = *(blocks + 1);
    const auto strides = contiguous_strides(source);
    size_t axis = 0;
    while (axis < source.size() && (strides[axis] != inside.stride || source[axis] == 1))
        ++axis;
    std::string text = "blocks of " + std::to_string(inside.extent);
    if (axis < source.size()) text += " along axis " + std::to_string(axis);
    text += " in the order ";
    for (int64_t i = 0; i < blocks->extent; ++i)
        text += (i == 0 ? "" : ",") + std::to_string(blocks->order[static_cast<size_t>(i)]);
    return text;
}

}  // namespace npuscope::compare
