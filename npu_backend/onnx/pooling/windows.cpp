#include "npu_backend/onnx/pooling/windows.h"

#include <algorithm>
#include <limits>
#include <string>

#include "core/base/printable.h"
#include "npu_backend/onnx/node_run.h"

namespace npuscope::onnx_model {

namespace {

void require_each(const NodeRun& node,
                  const IntList& numbers,
                  size_t count,
                  int64_t lowest,
                  const std::string& what) {
    bool fits = numbers.size() == count;
    for (const int64_t number : numbers)
        fits = fits && number >= lowest && number <= std::numeric_limits<int32_t>::max();
    node.require(fits,
                 what + " must be " + std::to_string(count) + " numbers from " +
                     std::to_string(lowest) + " on, not " + to_string(numbers));
}

/// Pads that give ceil(size / stride) windows; an odd one goes to the end (SAME_UPPER) or begin.
void pad_to_same(Windows& windows, std::span<const int64_t> sizes, bool odd_at_end) {
    for (size_t i = 0; i < sizes.size(); ++i) {
        const int64_t count = (sizes[i] + windows.stride[i] - 1) / windows.stride[i];
        const int64_t reach = (windows.kernel[i] - 1) * windows.dilation[i] + 1;
        const int64_t total =
            std::max<int64_t>(0, (count - 1) * windows.stride[i] + reach - sizes[i]);
        windows.pads_begin[i] = odd_at_end ? total / 2 : total - total / 2;
        windows.pads_end[i] = total - windows.pads_begin[i];
    }
}

}  // namespace

IntList Windows::pads_last_first() const {
    IntList pads;
    for (size_t i = pads_begin.size(); i-- > 0;) {
        pads.push_back(pads_begin[i]);
        pads.push_back(pads_end[i]);
    }
    return pads;
}

Windows read_windows(const NodeRun& node, const IntList& kernel, std::span<const int64_t> sizes) {
    const size_t count = sizes.size();
    const IntList ones(count, 1);
    Windows windows;
    windows.kernel = node.attribute("kernel_shape", kernel);
    windows.stride = node.attribute("strides", ones);
    windows.dilation = node.attribute("dilations", ones);
    require_each(node, windows.kernel, count, 1, "kernel_shape");
    require_each(node, windows.stride, count, 1, "strides");
    require_each(node, windows.dilation, count, 1, "dilations");
    const IntList pads = node.attribute("pads", IntList(2 * count, 0));
    require_each(node, pads, 2 * count, 0, "pads");
    windows.pads_begin.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(count));
    windows.pads_end.assign(pads.begin() + static_cast<std::ptrdiff_t>(count), pads.end());
    const std::string auto_pad = node.attribute("auto_pad", "NOTSET");
    if (auto_pad == "VALID") {
        windows.pads_begin.assign(count, 0);
        windows.pads_end.assign(count, 0);
    } else if (auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER") {
        pad_to_same(windows, sizes, auto_pad == "SAME_UPPER");
    } else {
        node.require(auto_pad == "NOTSET" || auto_pad.empty(),
                     "auto_pad is '" + printable(auto_pad) + "'");
    }
    for (size_t i = 0; i < count; ++i)
        node.require((windows.kernel[i] - 1) * windows.dilation[i] + 1 <=
                         sizes[i] + windows.pads_begin[i] + windows.pads_end[i],
                     "the window is larger than the padded input");
    return windows;
}

Tensor pad_unless_symmetric(NodeRun& node, const Tensor& input, Windows& windows, double value) {
    return windows.symmetric() ? input : pad_windows(node, input, windows, value);
}

Tensor pad_windows(NodeRun& node, const Tensor& input, Windows& windows, double value) {
    Tensor padded =
        node.call("constant_pad_nd",
                  {{"self", input}, {"pad", windows.pads_last_first()}, {"value", Scalar{value}}});
    windows.pads_begin.assign(windows.pads_begin.size(), 0);
    windows.pads_end = windows.pads_begin;
    return padded;
}

}  // namespace npuscope::onnx_model
