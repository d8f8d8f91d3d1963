// MaxPool, AveragePool and LpPool over one to three dimensions, and their global forms.
#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "npu_backend/onnx/host_ops.h"
#include "npu_backend/onnx/ir_calls.h"
#include "npu_backend/onnx/pooling/windows.h"

namespace npuscope::onnx_model {

namespace {

/// The windows of two dimensions as the ops take them.
struct Plane {
    IntList kernel, stride, padding, dilation;
};

Plane last_two(const Windows& w) {
    const size_t h = w.kernel.size() - 2;
    const size_t v = w.kernel.size() - 1;
    return {{w.kernel[h], w.kernel[v]},
            {w.stride[h], w.stride[v]},
            {w.pads_begin[h], w.pads_begin[v]},
            {w.dilation[h], w.dilation[v]}};
}

struct Pooling {
    Windows windows;
    bool ceil_mode = false;
    bool count_include_pad = false;
    bool average = false;
};

std::vector<Tensor> pool_plane(NodeRun& node, const Tensor& x, const Plane& p, const Pooling& how) {
    NamedValues arguments = {{"self", x},
                             {"kernel_size", p.kernel},
                             {"stride", p.stride},
                             {"padding", p.padding},
                             {"ceil_mode", how.ceil_mode}};
    if (how.average)
        arguments.push_back({"count_include_pad", how.count_include_pad});
    else
        arguments.push_back({"dilation", p.dilation});
    return node.call_all(how.average ? "avg_pool2d" : "max_pool2d_with_indices",
                         std::move(arguments));
}

/// Maxima and means over a box are those over its planes, then over the rest.
Tensor pooled(NodeRun& node, const Tensor& x, const Pooling& how) {
    const Shape& s = x.shape();
    const Windows& w = how.windows;
    if (s.size() == 4) return pool_plane(node, x, last_two(w), how).at(0);
    if (s.size() == 3) {
        const Plane line{
            {1, w.kernel[0]}, {1, w.stride[0]}, {0, w.pads_begin[0]}, {1, w.dilation[0]}};
        const Tensor y = pool_plane(node, ir::unsqueeze(node, x, 2), line, how).at(0);
        return node.call("squeeze_dims", {{"self", y}, {"dim", IntList{2}}});
    }
    Tensor y = ir::view(node, x, {s[0], s[1] * s[2], s[3], s[4]});
    y = pool_plane(node, y, last_two(w), how).at(0);
    const int64_t height = y.dim(2);
    const int64_t width = y.dim(3);
    y = ir::view(node, y, {s[0], s[1], s[2], height * width});
    const Plane column{
        {w.kernel[0], 1}, {w.stride[0], 1}, {w.pads_begin[0], 0}, {w.dilation[0], 1}};
    y = pool_plane(node, y, column, how).at(0);
    return ir::view(node, y, {s[0], s[1], y.dim(2), height, width});
}

Pooling read_pooling(NodeRun& node, const Tensor& x) {
    if (x.ndim() < 3 || x.ndim() > 5)
        node.unsupported("pooling of a tensor of shape " + to_string(x.shape()) +
                         " is not supported; it needs 3 to 5 dimensions");
    Pooling pooling;
    pooling.windows = read_windows(node, {}, IntList(x.shape().begin() + 2, x.shape().end()));
    pooling.ceil_mode = node.attribute("ceil_mode", int64_t{0}) != 0;
    pooling.count_include_pad = node.attribute("count_include_pad", int64_t{0}) != 0;
    return pooling;
}

/// The ops take pads that are equal at both ends and at most half a window.
bool takes_pads(const Windows& windows) {
    bool fits = windows.symmetric();
    for (size_t i = 0; fits && i < windows.kernel.size(); ++i)
        fits = 2 * windows.pads_begin[i] <= windows.kernel[i];
    return fits;
}

/// Places within a plane become places within the whole tensor; storage order 1 counts columns
/// first.
Tensor whole_indices(NodeRun& node, Tensor places, const Shape& shape) {
    const int64_t height = shape.size() == 4 ? shape[2] : 1;
    const int64_t width = shape.back();
    if (node.attribute("storage_order", int64_t{0}) != 0) {
        const Tensor columns = Tensor::scalar<int64_t>(width);
        const Tensor row = node.call(
            "div_Tensor_mode",
            {{"self", places}, {"other", columns}, {"rounding_mode", std::string("floor")}});
        const Tensor column = ir::binary(node, "remainder_Tensor", places, columns);
        places = ir::add(node, ir::mul(node, column, Tensor::scalar<int64_t>(height)), row);
    }
    IntList starts = ir::iota(shape[0] * shape[1]);
    for (int64_t& start : starts)
        start *= height * width;
    Shape planes(shape.size(), 1);
    planes[0] = shape[0];
    planes[1] = shape[1];
    return ir::add(node, places, ir::int_tensor(starts).reshaped(planes));
}

void set_indices(NodeRun& node, const Tensor& x, const Pooling& how) {
    if (x.ndim() > 4 || !takes_pads(how.windows))
        node.unsupported("the places of maxima in three dimensions or under unequal pads");
    const bool line = x.ndim() == 3;
    const Windows& w = how.windows;
    const Plane plane =
        line ? Plane{{1, w.kernel[0]}, {1, w.stride[0]}, {0, w.pads_begin[0]}, {1, w.dilation[0]}}
             : last_two(w);
    Tensor places = pool_plane(node, line ? ir::unsqueeze(node, x, 2) : x, plane, how).at(1);
    if (line) places = node.call("squeeze_dims", {{"self", places}, {"dim", IntList{2}}});
    node.set_output(1, whole_indices(node, places, x.shape()));
}

}  // namespace

void lower_max_pool(NodeRun& node) {
    const DType dtype = node.input(0).dtype();
    Tensor x = ir::cast(node, node.input(0), is_float(dtype) ? dtype : DType::kFloat32);
    Pooling how = read_pooling(node, x);
    if (node.wants_output(1)) set_indices(node, x, how);
    if (!takes_pads(how.windows))
        x = pad_windows(node, x, how.windows, -std::numeric_limits<double>::infinity());
    node.set_output(0, ir::cast(node, pooled(node, x, how), dtype));
}

namespace {

/// One axis of a dilated pooling.
struct DilatedAxis {
    int64_t count = 0;            ///< windows
    int64_t missing = 0;          ///< elements that the last window reads past the padded end
    std::vector<double> counted;  ///< elements of each window that the mean counts
};

/// With ceil_mode a window may begin inside and end outside; what lies past the pads never counts.
DilatedAxis dilated_axis(const Pooling& how, size_t i, int64_t size) {
    const Windows& w = how.windows;
    const int64_t padded = size + w.pads_begin[i] + w.pads_end[i];
    const int64_t reach = (w.kernel[i] - 1) * w.dilation[i] + 1;
    DilatedAxis axis;
    axis.count = (padded - reach + (how.ceil_mode ? w.stride[i] - 1 : 0)) / w.stride[i] + 1;
    if ((axis.count - 1) * w.stride[i] >= size + w.pads_begin[i]) --axis.count;
    axis.missing = std::max<int64_t>(0, (axis.count - 1) * w.stride[i] + reach - padded);
    const int64_t begin = how.count_include_pad ? 0 : w.pads_begin[i];
    const int64_t end = how.count_include_pad ? padded : size + w.pads_begin[i];
    for (int64_t at = 0; at < axis.count; ++at) {
        double counted = 0;
        for (int64_t k = 0; k < w.kernel[i]; ++k) {
            const int64_t place = at * w.stride[i] + k * w.dilation[i];
            counted += place >= begin && place < end ? 1 : 0;
        }
        axis.counted.push_back(counted);
    }
    return axis;
}

/// ATen's mean knows no dilation: strided slices are added axis by axis, then divided.
Tensor dilated_average(NodeRun& node, Tensor x, const Pooling& how) {
    const Windows& w = how.windows;
    std::vector<DilatedAxis> axes;
    Windows pads = w;
    for (size_t i = 0; i < w.kernel.size(); ++i) {
        require_host_size({w.kernel[i]});
        require_host_size({x.shape()[i + 2] + w.pads_begin[i] + w.pads_end[i]});
        axes.push_back(dilated_axis(how, i, x.shape()[i + 2]));
        pads.pads_end[i] += axes.back().missing;
    }
    x = pad_windows(node, x, pads, 0.0);
    Tensor divisors = Tensor::scalar(1.0);
    for (size_t i = 0; i < axes.size(); ++i) {
        const auto axis = static_cast<int64_t>(i) + 2;
        const int64_t last = (axes[i].count - 1) * w.stride[i] + 1;
        Tensor sum;
        for (int64_t k = 0; k < w.kernel[i]; ++k) {
            const int64_t start = k * w.dilation[i];
            const Tensor part = ir::slice(node, x, axis, start, start + last, w.stride[i]);
            sum = k == 0 ? part : ir::add(node, sum, part);
        }
        x = sum;
        std::vector<double> products;
        for (int64_t before = 0; before < divisors.numel(); ++before)
            for (const double counted : axes[i].counted)
                products.push_back(divisors.at(before) * counted);
        divisors = Tensor::from<double>({static_cast<int64_t>(products.size())},
                                        std::span<const double>(products));
    }
    Shape shape = x.shape();
    shape[0] = shape[1] = 1;
    return ir::div(node, x, divisors.reshaped(shape).cast(x.dtype()));
}

/// Under pads that the op cannot take, a mean that does not count them is the mean that does,
/// divided by the share of each window that is no pad.
Tensor average(NodeRun& node, Tensor x, Pooling how) {
    how.average = true;
    if (std::ranges::count(how.windows.dilation, 1) != std::ssize(how.windows.dilation))
        return dilated_average(node, x, how);
    if (takes_pads(how.windows)) return pooled(node, x, how);
    const bool counts = std::exchange(how.count_include_pad, true);
    Windows padded = how.windows;
    Shape single = x.shape();
    single[0] = single[1] = 1;
    x = pad_windows(node, x, padded, 0.0);
    Pooling inside = how;
    inside.windows = padded;
    Tensor mean = pooled(node, x, inside);
    if (counts) return mean;
    const Tensor ones =
        ir::expand(node, ir::number_like(x, 1).reshaped(Shape(single.size(), 1)), single);
    Windows again = how.windows;
    return ir::div(node, mean, pooled(node, pad_windows(node, ones, again, 0.0), inside));
}

IntList spatial_axes(const NodeRun& node) {
    const int64_t ndim = node.input(0).ndim();
    node.require(ndim >= 3, "the input has no spatial dimensions");
    IntList axes;
    for (int64_t axis = 2; axis < ndim; ++axis)
        axes.push_back(axis);
    return axes;
}

}  // namespace

void lower_average_pool(NodeRun& node) {
    const Tensor& x = node.input(0);
    node.set_output(0, average(node, x, read_pooling(node, x)));
}

void lower_global_average_pool(NodeRun& node) {
    node.set_output(0, ir::reduce(node, "mean_dim", node.input(0), spatial_axes(node), true));
}

void lower_global_max_pool(NodeRun& node) {
    node.set_output(0, ir::reduce(node, "amax", node.input(0), spatial_axes(node), true));
}

/// The p-th root of the sum of |x|^p over each window: a mean times the window's size.
void lower_lp_pool(NodeRun& node) {
    const Tensor& x = node.input(0);
    const auto p = static_cast<double>(node.attribute("p", int64_t{2}));
    Pooling how = read_pooling(node, x);
    how.count_include_pad = true;
    const Tensor powers = node.call("pow_Tensor_Scalar",
                                    {{"self", ir::unary(node, "abs", x)}, {"exponent", Scalar{p}}});
    const Tensor mean = average(node, powers, how);
    const Tensor sum = ir::mul(node, mean, static_cast<double>(numel_of(how.windows.kernel)));
    node.set_output(0,
                    node.call("pow_Tensor_Scalar", {{"self", sum}, {"exponent", Scalar{1.0 / p}}}));
}

void lower_global_lp_pool(NodeRun& node) {
    const auto p = static_cast<double>(node.attribute("p", int64_t{2}));
    const Tensor powers =
        node.call("pow_Tensor_Scalar",
                  {{"self", ir::unary(node, "abs", node.input(0))}, {"exponent", Scalar{p}}});
    const Tensor sum = ir::reduce(node, "sum_dim_IntList", powers, spatial_axes(node), true);
    node.set_output(0,
                    node.call("pow_Tensor_Scalar", {{"self", sum}, {"exponent", Scalar{1.0 / p}}}));
}

/// Each value goes back to the place that its maximum was taken from; all else is 0.
void lower_max_unpool(NodeRun& node) {
    const Tensor& x = node.input(0);
    node.require(x.ndim() >= 3 && node.input(1).shape() == x.shape(),
                 "its indices do not fit its input");
    const auto count = static_cast<size_t>(x.ndim() - 2);
    const IntList kernel = node.attribute("kernel_shape", IntList{});
    const IntList stride = node.attribute("strides", IntList(count, 1));
    const IntList pads = node.attribute("pads", IntList(2 * count, 0));
    node.require(kernel.size() == count && stride.size() == count && pads.size() == 2 * count,
                 "its windows do not fit its input");
    // The places count within the shape that the windows imply, whatever output_shape says.
    Shape shape(x.shape().begin(), x.shape().begin() + 2);
    for (const IntList* numbers : {&kernel, &stride, &pads})
        for (const int64_t number : *numbers)
            node.require(number >= 0 && number < (1 << 26), "its windows do not fit its input");
    for (size_t i = 0; i < count; ++i)
        shape.push_back((x.shape()[i + 2] - 1) * stride[i] + kernel[i] - pads[i] - pads[i + count]);
    Shape wanted = node.has_input(2) ? node.ints(2) : shape;
    node.require(wanted.size() == shape.size(), "output_shape has a wrong length");
    // Places that count within `shape` are read there, then the result is surrounded.
    const Tensor zeros = ir::expand(node, ir::number_like(x, 0).reshaped({1}), {numel_of(shape)});
    const Tensor flat = node.call("scatter_src",
                                  {{"self", zeros},
                                   {"dim", int64_t{0}},
                                   {"index", ir::view(node, node.input(1), {x.numel()})},
                                   {"src", ir::view(node, x, {x.numel()})}});
    Tensor y = ir::view(node, flat, shape);
    if (wanted != shape) {
        IntList pad;
        for (size_t i = shape.size(); i-- > 0;) {
            pad.push_back(0);
            pad.push_back(wanted[i] - shape[i]);
        }
        y = node.call("constant_pad_nd", {{"self", y}, {"pad", pad}, {"value", Scalar{0.0}}});
    }
    node.set_output(0, std::move(y));
}

}  // namespace npuscope::onnx_model
