// GridSample, AffineGrid and Det.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "npu_backend/onnx/host_ops.h"
#include "npu_backend/onnx/ir_calls.h"
#include "npu_backend/onnx/vision/weighted_rows.h"

namespace npuscope::onnx_model {

namespace {

int64_t place_of(const NodeRun& node,
                 const std::string& word,
                 std::initializer_list<const char*> words) {
    int64_t place = 0;
    for (const char* known : words) {
        if (word == known) return place;
        ++place;
    }
    node.require(false, "one of its modes is not one of ONNX's");
    return -1;
}

enum Padding : int64_t { kZeros = 0, kBorder = 1, kReflection = 2 };

/// From -1 … 1 to the elements of an axis, brought inside as the padding says.
double place_in(double at, int64_t size, bool align_corners, int64_t padding) {
    const auto count = static_cast<double>(size);
    double place = align_corners ? (at + 1) / 2 * (count - 1) : ((at + 1) * count - 1) / 2;
    if (padding == kReflection) {
        const double low = align_corners ? 0.0 : -0.5;
        const double period = align_corners ? count - 1 : count;
        double past = period > 0 ? std::fmod(std::abs(place - low), 2 * period) : 0.0;
        if (past > period) past = 2 * period - past;
        place = low + past;
    }
    if (padding != kZeros) place = std::clamp(place, 0.0, count - 1);
    // Two elements outside nothing is read, however far it is; so it is for nan.
    return std::isnan(place) ? -2.0 : std::clamp(place, -2.0, count + 1);
}

/// Volumes: the eight corners around each place, or the nearest element.
void sample_volumes(NodeRun& node, bool nearest, int64_t padding, bool align_corners) {
    const Tensor& x = node.input(0);
    const Tensor& grid = node.input(1);
    node.require(grid.ndim() == 5 && grid.dim(4) == 3 && grid.dim(0) == x.dim(0) && x.numel() > 0,
                 "its grid does not fit its volumes");
    const std::vector<int64_t> sizes(x.shape().begin() + 2, x.shape().end());
    const int64_t points = grid.numel() / 3;
    const int64_t each = x.dim(0) == 0 ? 0 : points / x.dim(0);
    RowTaps taps{points, 8, {}, {}};
    require_host_size({taps.points, taps.taps});
    for (int64_t p = 0; p < points; ++p) {
        std::vector<double> place;
        for (int64_t axis = 0; axis < 3; ++axis) {
            const double at = place_in(grid.at(3 * p + 2 - axis),
                                       sizes[static_cast<size_t>(axis)],
                                       align_corners,
                                       padding);
            place.push_back(nearest ? std::nearbyint(at) : at);
        }
        add_corners(taps, place, sizes, p / each * numel_of(sizes));
    }
    const Tensor sums = weighted_rows(node, as_rows(node, x), taps);
    const Tensor apart = ir::view(node, sums, {x.dim(0), each, x.dim(1)});
    node.set_output(0,
                    ir::view(node,
                             ir::permute(node, apart, {0, 2, 1}),
                             {x.dim(0), x.dim(1), grid.dim(1), grid.dim(2), grid.dim(3)}));
}

}  // namespace

/// Operator set 20 renames the modes and takes volumes.
void lower_grid_sample(NodeRun& node) {
    std::string mode = node.attribute("mode", "bilinear");
    if (mode == "linear") mode = "bilinear";
    if (mode == "cubic") mode = "bicubic";
    const std::string padding = node.attribute("padding_mode", "zeros");
    if (node.input(0).ndim() == 5) {
        const int64_t how = place_of(node, mode, {"bilinear", "nearest", "bicubic"});
        if (how == 2) node.unsupported("cubic sampling of volumes is not supported");
        sample_volumes(node,
                       how == 1,
                       place_of(node, padding, {"zeros", "border", "reflection"}),
                       node.attribute("align_corners", int64_t{0}) != 0);
        return;
    }
    if (node.input(0).ndim() != 4) node.unsupported("sampling of other than images and volumes");
    node.set_output(
        0,
        node.call("grid_sampler_2d",
                  {{"input", node.input(0)},
                   {"grid", node.input(1)},
                   {"interpolation_mode", place_of(node, mode, {"bilinear", "nearest", "bicubic"})},
                   {"padding_mode", place_of(node, padding, {"zeros", "border", "reflection"})},
                   {"align_corners", node.attribute("align_corners", int64_t{0}) != 0}}));
}

/// Each place of the output, as one row (x, y, 1) or (x, y, z, 1), times theta.
void lower_affine_grid(NodeRun& node) {
    const Tensor& theta = node.input(0);
    const IntList size = node.ints(1);
    const auto ndim = static_cast<int64_t>(size.size()) - 2;
    node.require((ndim == 2 || ndim == 3) && theta.shape() == Shape{size[0], ndim, ndim + 1},
                 "its theta of shape " + to_string(theta.shape()) + " does not fit the size " +
                     to_string(size));
    const std::span<const int64_t> spatial = std::span(size).subspan(2);
    for (const int64_t dim : size)
        node.require(dim >= 1, "a size is not positive");
    require_host_size(Shape(spatial.begin(), spatial.end()));
    const bool align_corners = node.attribute("align_corners", int64_t{0}) != 0;
    const int64_t places = numel_of(spatial);
    std::vector<double> base;
    for (int64_t p = 0; p < places; ++p) {
        int64_t rest = p;
        for (size_t axis = spatial.size(); axis-- > 0; rest /= spatial[axis]) {
            const auto at = static_cast<double>(rest % spatial[axis]);
            const auto count = static_cast<double>(spatial[axis]);
            base.push_back(align_corners ? (count > 1 ? 2 * at / (count - 1) - 1 : 0.0)
                                         : (2 * at + 1) / count - 1);
        }
        base.push_back(1);
    }
    const Tensor rows = Tensor::from<double>({1, places, ndim + 1}, std::span<const double>(base))
                            .cast(theta.dtype());
    const Tensor grid = ir::matmul(node,
                                   ir::expand(node, rows, {size[0], places, ndim + 1}),
                                   ir::permute(node, theta, {0, 2, 1}));
    Shape shape = {size[0]};
    shape.insert(shape.end(), spatial.begin(), spatial.end());
    shape.push_back(ndim);
    node.set_output(0, ir::view(node, grid, std::move(shape)));
}

void lower_det(NodeRun& node) {
    node.set_output(0, node.call("linalg_det", {{"A", node.input(0)}}));
}

}  // namespace npuscope::onnx_model
