// GridSampler2D, elements read between places, and MatrixDeterminant.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/error.h"
#include "npu_backend/kernels/kernel.h"
#include "npu_backend/kernels/vision/sampling.h"
#include "npu_backend/kernels/widened.h"

namespace npuscope::backend {

namespace {

/// One channel of one image.
template <class W>
struct Plane {
    const W* data;
    Extent extent;

    [[nodiscard]] W at(W y, W x) const {
        const int64_t index = extent.index(y, x);
        return index < 0 ? W{0} : data[index];
    }
};

template <class W>
W sample(const Plane<W>& plane, int64_t mode, W y, W x) {
    if (mode == 1) return plane.at(std::nearbyint(y), std::nearbyint(x));
    const Neighbours<W> down = neighbours(mode, y);
    const Neighbours<W> across = neighbours(mode, x);
    W sum{0};
    for (int i = 0; i < down.count; ++i)
        for (int j = 0; j < across.count; ++j)
            sum += down.weights[static_cast<size_t>(i)] * across.weights[static_cast<size_t>(j)] *
                   plane.at(down.first + static_cast<W>(i), across.first + static_cast<W>(j));
    return sum;
}

void run_grid_sampler(KernelCall& call) {
    const Tensor& x = call.input(0);
    const Tensor& grid = call.input(1);
    const Edge edge{call.text("padding_mode"), call.flag("align_corners")};
    const int64_t mode = call.integer("interpolation_mode");
    const int64_t height = x.dim(2);
    const int64_t width = x.dim(3);
    const int64_t places = grid.dim(1) * grid.dim(2);
    const Shape shape = {x.dim(0), x.dim(1), grid.dim(1), grid.dim(2)};
    const bool finite = check_inputs(call.inputs, call.status);
    const auto compute = [&]<class W>() {
        const std::vector<W> in = widened<W>(x);
        const std::vector<W> at = widened<W>(grid);
        std::vector<W> out(static_cast<size_t>(numel_of(shape)));
        const auto element = [&](W g, int64_t size) {
            const W place = edge.element(g, size);
            // Cubic neighbours are brought inside one by one.
            return mode == 2 ? place : edge.moved(place, size).place;
        };
        for (int64_t plane = 0; plane < x.dim(0) * x.dim(1); ++plane) {
            const Plane<W> source{in.data() + plane * height * width, {height, width, edge}};
            const W* where = at.data() + plane / x.dim(1) * places * 2;
            for (int64_t i = 0; i < places; ++i)
                out[static_cast<size_t>(plane * places + i)] = sample(
                    source, mode, element(where[2 * i + 1], height), element(where[2 * i], width));
        }
        call.outputs = {
            narrowed<W>(out, x.dtype(), shape, call.numerics.overflow_mode(), finite, call.status)};
    };
    if (x.dtype() == DType::kFloat64)
        compute.template operator()<double>();
    else
        compute.template operator()<float>();
}

/// Gaussian elimination with partial pivoting, in float64.
double determinant(std::vector<double> a, size_t n) {
    double product = 1;
    for (size_t k = 0; k < n; ++k) {
        size_t pivot = k;
        for (size_t i = k + 1; i < n; ++i)
            if (std::fabs(a[i * n + k]) > std::fabs(a[pivot * n + k])) pivot = i;
        if (a[pivot * n + k] == 0) return 0;
        if (pivot != k) {
            product = -product;
            std::swap_ranges(a.begin() + static_cast<int64_t>(k * n),
                             a.begin() + static_cast<int64_t>((k + 1) * n),
                             a.begin() + static_cast<int64_t>(pivot * n));
        }
        product *= a[k * n + k];
        for (size_t i = k + 1; i < n; ++i) {
            const double factor = a[i * n + k] / a[k * n + k];
            for (size_t j = k; j < n; ++j)
                a[i * n + j] -= factor * a[k * n + j];
        }
    }
    return product;
}

void run_determinant(KernelCall& call) {
    const Tensor& x = call.input(0);
    const auto n = static_cast<size_t>(x.dim(-1));
    const Shape shape(x.shape().begin(), x.shape().end() - 2);
    const std::vector<double> all = widened<double>(x);
    const bool finite = check_inputs(call.inputs, call.status);
    std::vector<double> out;
    for (int64_t i = 0; i < numel_of(shape); ++i) {
        const auto from = all.begin() + i * static_cast<int64_t>(n * n);
        out.push_back(determinant({from, from + static_cast<int64_t>(n * n)}, n));
    }
    call.outputs = {narrowed<double>(
        out, x.dtype(), shape, call.numerics.overflow_mode(), finite, call.status)};
}

}  // namespace

std::span<const Kernel> sample_kernels() {
    static constexpr auto kRows = std::to_array<Kernel>({
        {.type = "GridSampler2D",
         .formula =
             "x read at the places of grid, -1 to 1 over the image; nearest, linear or cubic",
         .dtypes = kThroughFloat32,
         .source = "; order of the sum not public",
         .run = run_grid_sampler},
        {.type = "MatrixDeterminant",
         .formula = "determinants of the last two axes, in float64, rounded once",
         .dtypes = "float16, bfloat16, float32, float64",
         .source = "; its algorithm is not public",
         .run = run_determinant},
    });
    return kRows;
}

}  // namespace npuscope::backend
