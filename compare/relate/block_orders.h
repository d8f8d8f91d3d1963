// Axes whose blocks lie in another order: the gates of an LSTM or GRU in the weights of two
// frameworks.
#pragma once

#include <string>
#include <vector>

#include "compare/relate/view.h"

namespace npuscope::compare {

/// Views like this one that go through two, three or four equal blocks of one of its loops in
/// another order, fewer blocks first. Of views without any.
[[nodiscard]] std::vector<View> block_orders(const View& view);

[[nodiscard]] bool has_block_order(const View& view);

/// The view with its blocks as they are.
[[nodiscard]] View without_block_order(const View& view);

/// "blocks of 8 along axis 1 in the order 0,3,1,2": of a view with such an order of a tensor of
/// shape `source`.
[[nodiscard]] std::string text_of_block_order(const View& view, const Shape& source);

}  // namespace npuscope::compare
