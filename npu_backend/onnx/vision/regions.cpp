// RoiAlign and DeformConv: places between the elements of an image, read by interpolation.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "npu_backend/onnx/host_ops.h"
#include "npu_backend/onnx/ir_calls.h"
#include "npu_backend/onnx/pooling/windows.h"
#include "npu_backend/onnx/vision/weighted_rows.h"

namespace npuscope::onnx_model {

namespace {

/// One axis of a region: where it begins, how long a bin is, how many samples a bin takes.
struct RegionAxis {
    double begin = 0;
    double bin = 0;
    int64_t samples = 0;

    [[nodiscard]] double place(int64_t at, int64_t sample) const {
        return begin + static_cast<double>(at) * bin +
               (static_cast<double>(sample) + 0.5) * bin / static_cast<double>(samples);
    }
};

struct RoiAlign {
    std::array<int64_t, 2> bins = {1, 1};  ///< rows, columns
    std::array<int64_t, 2> sizes = {1, 1};
    double scale = 1;
    bool half_pixel = true;
    int64_t ratio = 0;
};

RegionAxis region_axis(
    const NodeRun& node, const RoiAlign& how, double begin, double end, size_t axis) {
    const double shift = how.half_pixel ? 0.5 : 0.0;
    RegionAxis region;
    region.begin = begin * how.scale - shift;
    double length = end * how.scale - shift - region.begin;
    if (!how.half_pixel) length = std::max(length, 1.0);
    const auto bins = static_cast<double>(how.bins[axis]);
    region.bin = length / bins;
    const double samples = how.ratio > 0 ? static_cast<double>(how.ratio) : std::ceil(region.bin);
    node.require(std::isfinite(length) && samples < 4096, "a region of it is too large");
    region.samples = static_cast<int64_t>(std::max(0.0, samples));
    return region;
}

/// Up to one element outside, the border's value counts; farther out nothing does.
void add_sample(RowTaps& taps, const RoiAlign& how, std::array<double, 2> place, int64_t first) {
    bool outside = false;
    std::vector<double> inside;
    for (size_t axis = 0; axis < 2; ++axis) {
        const auto size = static_cast<double>(how.sizes[axis]);
        outside = outside || place[axis] < -1 || place[axis] > size;
        inside.push_back(std::clamp(place[axis], 0.0, size - 1));
    }
    const size_t start = taps.weights.size();
    add_corners(taps, inside, how.sizes, first);
    if (outside)
        std::fill(taps.weights.begin() + static_cast<int64_t>(start), taps.weights.end(), 0.0);
}

}  // namespace

/// Source: ONNX Operators, RoiAlign. In mode max each corner is weighted before the maximum is
/// taken, as in the operator's reference.
void lower_roi_align(NodeRun& node) {
    const Tensor& x = node.input(0);
    const Tensor& rois = node.input(1);
    node.require(x.ndim() == 4 && x.numel() > 0 && rois.ndim() == 2 && rois.dim(1) == 4,
                 "its input must be images and its regions [count,4]");
    const IntList batch = node.ints(2);
    node.require(static_cast<int64_t>(batch.size()) == rois.dim(0),
                 "it needs one batch index for each region");
    const std::string mode = node.attribute("mode", "avg");
    node.require(mode == "avg" || mode == "max", "mode is neither avg nor max");
    const RoiAlign how{
        {node.attribute("output_height", int64_t{1}), node.attribute("output_width", int64_t{1})},
        {x.dim(2), x.dim(3)},
        node.attribute("spatial_scale", 1.0),
        node.attribute("coordinate_transformation_mode",
                       node.opset() < 16 ? "output_half_pixel" : "half_pixel") == "half_pixel",
        node.attribute("sampling_ratio", int64_t{0})};
    node.require(how.bins[0] >= 1 && how.bins[1] >= 1, "its output has no elements");
    require_host_size({rois.dim(0), how.bins[0], how.bins[1]});
    std::vector<std::array<RegionAxis, 2>> regions;
    int64_t most = 1;
    for (int64_t r = 0; r < rois.dim(0); ++r) {
        const auto at = [&](int64_t i) { return rois.at(4 * r + i); };
        regions.push_back(
            {region_axis(node, how, at(1), at(3), 0), region_axis(node, how, at(0), at(2), 1)});
        most = std::max(most, regions.back()[0].samples * regions.back()[1].samples);
        node.require(batch[static_cast<size_t>(r)] >= 0 && batch[static_cast<size_t>(r)] < x.dim(0),
                     "a batch index is outside the batch");
    }
    RowTaps taps{rois.dim(0) * how.bins[0] * how.bins[1], 4 * most, {}, {}};
    require_host_size({taps.points, taps.taps});
    for (size_t r = 0; r < regions.size(); ++r) {
        const auto& [rows, columns] = regions[r];
        const int64_t first = batch[r] * how.sizes[0] * how.sizes[1];
        for (int64_t bin = 0; bin < how.bins[0] * how.bins[1]; ++bin) {
            const size_t start = taps.rows.size();
            for (int64_t s = 0; s < rows.samples * columns.samples; ++s)
                add_sample(taps,
                           how,
                           {rows.place(bin / how.bins[1], s / columns.samples),
                            columns.place(bin % how.bins[1], s % columns.samples)},
                           first);
            const auto count =
                static_cast<double>(std::max<int64_t>(1, rows.samples * columns.samples));
            if (mode == "avg")
                for (size_t i = start; i < taps.weights.size(); ++i)
                    taps.weights[i] /= count;
            // Regions with fewer samples repeat their first one, or nothing.
            const bool repeats = mode == "max" && taps.rows.size() > start;
            while (taps.rows.size() < start + static_cast<size_t>(taps.taps))
                taps.add(repeats ? taps.rows[start] : first, repeats ? taps.weights[start] : 0.0);
        }
    }
    const Tensor tapped = tapped_rows(node, as_rows(node, x), taps);
    const Tensor pooled =
        ir::reduce(node, mode == "avg" ? "sum_dim_IntList" : "amax", tapped, {1}, false);
    const Tensor apart = ir::view(node, pooled, {rois.dim(0), how.bins[0] * how.bins[1], x.dim(1)});
    node.set_output(0,
                    ir::view(node,
                             ir::permute(node, apart, {0, 2, 1}),
                             {rois.dim(0), x.dim(1), how.bins[0], how.bins[1]}));
}

namespace {

/// Where each kernel place of each output place reads: image by image, group by group.
RowTaps deformed_taps(
    const NodeRun& node, const Tensor& x, const Tensor& offset, const Windows& w, int64_t groups) {
    const int64_t kernel = numel_of(w.kernel);
    const int64_t places = offset.dim(2) * offset.dim(3);
    RowTaps taps{x.dim(0) * groups * places * kernel, 4, {}, {}};
    require_host_size({taps.points, taps.taps});
    const std::array<int64_t, 2> sizes = {x.dim(2), x.dim(3)};
    for (int64_t image = 0; image < x.dim(0) * groups; ++image)
        for (int64_t p = 0; p < places; ++p)
            for (int64_t k = 0; k < kernel; ++k) {
                const std::array<int64_t, 2> out = {p / offset.dim(3), p % offset.dim(3)};
                const std::array<int64_t, 2> in = {k / w.kernel[1], k % w.kernel[1]};
                std::vector<double> place;
                for (size_t axis = 0; axis < 2; ++axis) {
                    const double moved = offset.at(
                        ((image * kernel + k) * 2 + static_cast<int64_t>(axis)) * places + p);
                    node.require(std::isfinite(moved), "an offset is not finite");
                    const double still =
                        static_cast<double>(out[axis] * w.stride[axis] - w.pads_begin[axis] +
                                            in[axis] * w.dilation[axis]);
                    // Two elements outside nothing is read, however far it is.
                    place.push_back(
                        std::clamp(still + moved, -2.0, static_cast<double>(sizes[axis]) + 1));
                }
                add_corners(taps, place, sizes, image * sizes[0] * sizes[1]);
            }
    return taps;
}

}  // namespace

/// The columns of the convolution are sampled, then multiplied with the weight.
/// Source: ONNX Operators, DeformConv; Zhu et al., Deformable ConvNets v2 (2018), equation 1.
void lower_deform_conv(NodeRun& node) {
    const Tensor& x = node.input(0);
    const Tensor& weight = node.input(1);
    const Tensor& offset = node.input(2);
    if (x.ndim() != 4) node.unsupported("deformable convolution of other than images");
    node.require(weight.ndim() == 4 && offset.ndim() == 4 && x.numel() > 0,
                 "its weight and offset need four dimensions");
    const Windows w = read_windows(
        node, {weight.dim(2), weight.dim(3)}, IntList(x.shape().begin() + 2, x.shape().end()));
    const int64_t group = node.attribute("group", int64_t{1});
    const int64_t groups = node.attribute("offset_group", int64_t{1});
    const int64_t kernel = numel_of(w.kernel);
    Shape expected = {x.dim(0), groups * kernel * 2};
    for (size_t axis = 0; axis < 2; ++axis) {
        const int64_t span = x.shape()[axis + 2] + w.pads_begin[axis] + w.pads_end[axis] -
                             (w.kernel[axis] - 1) * w.dilation[axis] - 1;
        node.require(span >= 0, "the window is larger than the padded input");
        expected.push_back(span / w.stride[axis] + 1);
    }
    node.require(group >= 1 && groups >= 1 && x.dim(1) % group == 0 && x.dim(1) % groups == 0 &&
                     weight.dim(0) % group == 0 && weight.dim(1) == x.dim(1) / group &&
                     offset.shape() == expected,
                 "its offset of shape " + to_string(offset.shape()) + " is not " +
                     to_string(expected) + ", or its groups do not divide its channels");
    const int64_t each = x.dim(1) / groups;
    const int64_t places = expected[2] * expected[3];
    const Tensor images = ir::view(node, x, {x.dim(0) * groups, each, x.dim(2), x.dim(3)});
    Tensor columns =
        weighted_rows(node, as_rows(node, images), deformed_taps(node, x, offset, w, groups));
    columns = ir::view(node, columns, {x.dim(0), groups, places, kernel, each});
    if (node.has_input(4)) {
        const Tensor mask = ir::view(node, node.input(4), {x.dim(0), groups, kernel, places, 1});
        columns = ir::mul(node, columns, ir::permute(node, mask, {0, 1, 3, 2, 4}));
    }
    columns = ir::view(
        node, ir::permute(node, columns, {0, 2, 1, 4, 3}), {x.dim(0) * places, x.dim(1), kernel});
    TensorList parts;
    const int64_t in = x.dim(1) / group;
    const int64_t out = weight.dim(0) / group;
    for (int64_t g = 0; g < group; ++g) {
        const Tensor left = ir::view(node,
                                     ir::slice(node, columns, 1, g * in, (g + 1) * in),
                                     {x.dim(0) * places, in * kernel});
        const Tensor right =
            ir::view(node, ir::slice(node, weight, 0, g * out, (g + 1) * out), {out, in * kernel});
        parts.push_back(ir::matmul(node, left, ir::permute(node, right, {1, 0})));
    }
    Tensor y = group == 1 ? parts[0] : ir::cat(node, std::move(parts), 1);
    if (node.has_input(3)) y = ir::add(node, y, ir::view(node, node.input(3), {1, weight.dim(0)}));
    y = ir::permute(node, ir::view(node, y, {x.dim(0), places, weight.dim(0)}), {0, 2, 1});
    node.set_output(0, ir::view(node, y, {x.dim(0), weight.dim(0), expected[2], expected[3]}));
}

}  // namespace npuscope::onnx_model
