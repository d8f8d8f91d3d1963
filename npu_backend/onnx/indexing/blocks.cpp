// CenterCropPad and Col2Im: images cut, surrounded, and put together from blocks.
#include <algorithm>
#include <span>
#include <utility>

#include "npu_backend/onnx/host_ops.h"
#include "npu_backend/onnx/ir_calls.h"

namespace npuscope::onnx_model {

/// An odd element is cut or added at the end. Source: ONNX Operators, CenterCropPad.
void lower_center_crop_pad(NodeRun& node) {
    Tensor x = node.input(0);
    const IntList axes = node.attribute("axes", ir::iota(x.ndim()));
    const IntList sizes = node.ints(1);
    node.require(axes.size() == sizes.size(), "it needs one size for each axis");
    static_cast<void>(node.axes_from_front(axes, x.ndim()));
    IntList pads(static_cast<size_t>(2 * x.ndim()), 0);
    for (size_t i = 0; i < axes.size(); ++i) {
        const int64_t axis = node.axis_from_front(axes[i], x.ndim());
        node.require(sizes[i] >= 0, "a size is negative");
        const int64_t more = sizes[i] - x.dim(axis);
        if (more < 0) {
            const int64_t start = -more / 2;
            x = ir::slice(node, x, axis, start, start + sizes[i]);
        } else {
            const auto last_first = static_cast<size_t>(2 * (x.ndim() - 1 - axis));
            pads[last_first] = more / 2;
            pads[last_first + 1] = more - more / 2;
        }
    }
    if (std::ranges::count(pads, 0) != std::ssize(pads)) {
        const Scalar zero = is_float(x.dtype()) ? Scalar{0.0} : Scalar{int64_t{0}};
        x = node.call("constant_pad_nd", {{"self", x}, {"pad", pads}, {"value", zero}});
    }
    node.set_output(0, std::move(x));
}

namespace {

struct Blocks {
    IntList image, kernel, stride, dilation, begin, end;
    IntList padded, counts;
};

IntList numbers(const NodeRun& node, const char* name, size_t count, int64_t otherwise) {
    IntList values = node.attribute(name, IntList(count, otherwise));
    bool fits = values.size() == count;
    for (const int64_t value : values)
        fits = fits && value >= otherwise && value <= (int64_t{1} << 26);
    node.require(fits, std::string(name) + " " + to_string(values) + " does not fit");
    return values;
}

Blocks read_blocks(const NodeRun& node) {
    Blocks blocks;
    blocks.image = node.ints(1);
    blocks.kernel = node.ints(2);
    const size_t ndim = blocks.image.size();
    node.require(ndim >= 1 && blocks.kernel.size() == ndim, "its image and blocks do not fit");
    require_host_size(blocks.image);
    require_host_size(blocks.kernel);
    blocks.stride = numbers(node, "strides", ndim, 1);
    blocks.dilation = numbers(node, "dilations", ndim, 1);
    const IntList pads = numbers(node, "pads", 2 * ndim, 0);
    blocks.begin.assign(pads.begin(), pads.begin() + static_cast<int64_t>(ndim));
    blocks.end.assign(pads.begin() + static_cast<int64_t>(ndim), pads.end());
    for (size_t i = 0; i < ndim; ++i) {
        node.require(blocks.image[i] >= 1 && blocks.kernel[i] >= 1, "a size is not positive");
        blocks.padded.push_back(blocks.image[i] + blocks.begin[i] + blocks.end[i]);
        const int64_t span = blocks.padded[i] - (blocks.kernel[i] - 1) * blocks.dilation[i] - 1;
        node.require(span >= 0, "a block is larger than the padded image");
        blocks.counts.push_back(span / blocks.stride[i] + 1);
    }
    require_host_size(blocks.padded);
    return blocks;
}

/// Where in the padded image element k of block b lies: kernel-major, as the input has them.
IntList block_places(const Blocks& blocks) {
    IntList places;
    const size_t ndim = blocks.kernel.size();
    for (int64_t k = 0; k < numel_of(blocks.kernel); ++k)
        for (int64_t b = 0; b < numel_of(blocks.counts); ++b) {
            int64_t place = 0;
            int64_t step = 1;
            int64_t inner = k;
            int64_t block = b;
            for (size_t i = ndim; i-- > 0;) {
                const int64_t at = block % blocks.counts[i] * blocks.stride[i] +
                                   inner % blocks.kernel[i] * blocks.dilation[i];
                place += at * step;
                step *= blocks.padded[i];
                inner /= blocks.kernel[i];
                block /= blocks.counts[i];
            }
            places.push_back(place);
        }
    return places;
}

}  // namespace

/// What blocks share is added. Source: ONNX Operators, Col2Im.
void lower_col2im(NodeRun& node) {
    const Tensor& x = node.input(0);
    const Blocks blocks = read_blocks(node);
    const int64_t kernel = numel_of(blocks.kernel);
    const int64_t count = numel_of(blocks.counts);
    require_host_size({kernel, count});
    node.require(x.ndim() == 3 && x.dim(1) % kernel == 0 && x.dim(2) == count,
                 "its input of shape " + to_string(x.shape()) + " does not hold " +
                     std::to_string(count) + " blocks of " + std::to_string(kernel) + " elements");
    const int64_t images = x.dim(0) * (x.dim(1) / kernel);
    const int64_t area = numel_of(blocks.padded);
    const Tensor places = ir::int_tensor(block_places(blocks)).reshaped({1, kernel * count});
    const Tensor zeros = ir::expand(node, ir::number_like(x, 0).reshaped({1, 1}), {images, area});
    Tensor y = node.call("scatter_add",
                         {{"self", zeros},
                          {"dim", int64_t{1}},
                          {"index", ir::expand(node, places, {images, kernel * count})},
                          {"src", ir::view(node, x, {images, kernel * count})}});
    Shape shape = {x.dim(0), x.dim(1) / kernel};
    shape.insert(shape.end(), blocks.padded.begin(), blocks.padded.end());
    y = ir::view(node, y, std::move(shape));
    for (size_t i = 0; i < blocks.image.size(); ++i)
        y = ir::slice(node,
                      y,
                      static_cast<int64_t>(i) + 2,
                      blocks.begin[i],
                      blocks.begin[i] + blocks.image[i]);
    node.set_output(0, std::move(y));
}

}  // namespace npuscope::onnx_model
