// GridSampler2D, elements read between places, and MatrixDeterminant.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/error.h"
#include "npu_backend/kernels/kernel.h"
#include "npu_backend/kernels/widened.h"

namespace npuscope::backend {

namespace {

/// How places outside the image are read.
struct Edge {
    std::string mode;  ///< zeros, border, reflection
    bool corners = false;

    /// `place` in elements, brought inside for reflection and border.
    [[nodiscard]] double inside(double place, int64_t size) const {
        const auto last = static_cast<double>(size - 1);
        if (mode == "reflection") {
            const double low = corners ? 0.0 : -0.5;
            const double span = corners ? last : static_cast<double>(size);
            if (span <= 0) return 0;
            const double away = std::fabs(place - low);
            const double rest = std::fmod(away, span);
            place = std::fmod(std::floor(away / span), 2.0) == 0 ? rest + low : span - rest + low;
        }
        return mode == "zeros" ? place : std::clamp(place, 0.0, last);
    }
};

/// One channel of one image.
template <class W>
struct Plane {
    const W* data;
    int64_t height, width;
    const Edge& edge;

    [[nodiscard]] W at(double y, double x) const {
        if (edge.mode != "zeros") {
            y = edge.inside(y, height);
            x = edge.inside(x, width);
        }
        if (!(y >= 0 && x >= 0 && y < static_cast<double>(height) &&
              x < static_cast<double>(width)))
            return W{0};
        return data[static_cast<int64_t>(y) * width + static_cast<int64_t>(x)];
    }
};

/// Source: Keys, Cubic Convolution Interpolation (1981), with a = -0.75.
std::array<double, 4> cubic(double t) {
    constexpr double kA = -0.75;
    const auto near = [](double d) { return ((kA + 2) * d - (kA + 3)) * d * d + 1; };
    const auto far = [](double d) { return ((kA * d - 5 * kA) * d + 8 * kA) * d - 4 * kA; };
    return {far(t + 1), near(t), near(1 - t), far(2 - t)};
}

template <class W>
W sample(const Plane<W>& plane, int64_t mode, double y, double x) {
    if (mode == 1) return plane.at(std::nearbyint(y), std::nearbyint(x));
    const double top = std::floor(y);
    const double left = std::floor(x);
    const bool linear = mode == 0;
    const std::array<double, 4> across =
        linear ? std::array<double, 4>{1 - (x - left), x - left, 0, 0} : cubic(x - left);
    const std::array<double, 4> down =
        linear ? std::array<double, 4>{1 - (y - top), y - top, 0, 0} : cubic(y - top);
    const int count = linear ? 2 : 4;
    const int first = linear ? 0 : -1;
    W sum{0};
    for (int i = 0; i < count; ++i)
        for (int j = 0; j < count; ++j)
            sum += static_cast<W>(down[static_cast<size_t>(i)] * across[static_cast<size_t>(j)]) *
                   plane.at(top + first + i, left + first + j);
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
        const auto element = [&](double g, int64_t size) {
            const auto n = static_cast<double>(size);
            double place = edge.corners ? (g + 1) / 2 * (n - 1) : ((g + 1) * n - 1) / 2;
            // Cubic neighbours are brought inside one by one.
            return mode == 2 ? place : edge.inside(place, size);
        };
        for (int64_t plane = 0; plane < x.dim(0) * x.dim(1); ++plane) {
            const Plane<W> source{in.data() + plane * height * width, height, width, edge};
            const W* where = at.data() + plane / x.dim(1) * places * 2;
            for (int64_t i = 0; i < places; ++i)
                out[static_cast<size_t>(plane * places + i)] =
                    sample(source,
                           mode,
                           element(static_cast<double>(where[2 * i + 1]), height),
                           element(static_cast<double>(where[2 * i]), width));
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
