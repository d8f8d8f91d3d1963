// GridSampler2DGrad: what the image and the places of a grid have to do with what was read.
#include <array>
#include <cmath>

#include "npu_backend/kernels/kernel.h"
#include "npu_backend/kernels/vision/sampling.h"
#include "npu_backend/kernels/widened.h"

namespace npuscope::backend {

namespace {

/// The gradients of one image and its grid.
template <class W>
class ImageGradient {
  public:
    ImageGradient(const Extent& extent, int64_t channels, int64_t places, int64_t mode)
        : extent_(extent), channels_(channels), places_(places), mode_(mode) {}

    /// Channels of `gradient` are `places` long, those of `image` and `made` of the extent; `grid`
    /// and `moved` hold x and y of each place. Adds to `made`, writes `moved`.
    void add(const W* gradient, const W* image, const W* grid, W* made, W* moved) const {
        for (int64_t i = 0; i < places_; ++i) {
            const auto x = place_of(grid[2 * i], extent_.width);
            const auto y = place_of(grid[2 * i + 1], extent_.height);
            if (mode_ == 1) {
                const int64_t at = extent_.index(std::nearbyint(y.place), std::nearbyint(x.place));
                for (int64_t c = 0; at >= 0 && c < channels_; ++c)
                    made[c * plane() + at] += gradient[c * places_ + i];
                moved[2 * i] = moved[2 * i + 1] = W{0};
                continue;
            }
            std::array<W, 2> along{};
            add_place(gradient + i, image, y.place, x.place, made, along);
            moved[2 * i] = along[0] * (x.slope * extent_.edge.step<W>(extent_.width));
            moved[2 * i + 1] = along[1] * (y.slope * extent_.edge.step<W>(extent_.height));
        }
    }

  private:
    [[nodiscard]] int64_t plane() const { return extent_.height * extent_.width; }

    [[nodiscard]] MovedPlace<W> place_of(W number, int64_t size) const {
        const W place = extent_.edge.element(number, size);
        // Cubic neighbours are brought inside one by one.
        return mode_ == 2 ? MovedPlace<W>{place, 1} : extent_.edge.moved(place, size);
    }

    /// The slopes along x and y are added to `along`.
    void add_place(
        const W* gradient, const W* image, W y, W x, W* made, std::array<W, 2>& along) const {
        const Neighbours<W> down = neighbours(mode_, y);
        const Neighbours<W> across = neighbours(mode_, x);
        for (size_t i = 0; i < static_cast<size_t>(down.count); ++i)
            for (size_t j = 0; j < static_cast<size_t>(across.count); ++j) {
                const int64_t at =
                    extent_.index(down.first + static_cast<W>(i), across.first + static_cast<W>(j));
                if (at < 0) continue;
                const W weight = down.weights[i] * across.weights[j];
                const W by_x = down.weights[i] * across.slopes[j];
                const W by_y = down.slopes[i] * across.weights[j];
                for (int64_t c = 0; c < channels_; ++c) {
                    const W given = gradient[c * places_];
                    const W value = image[c * plane() + at];
                    made[c * plane() + at] += weight * given;
                    along[0] += by_x * value * given;
                    along[1] += by_y * value * given;
                }
            }
    }

    const Extent& extent_;
    int64_t channels_;
    int64_t places_;
    int64_t mode_;
};

void run_grid_sampler_gradient(KernelCall& call) {
    const Tensor& gradient = call.input(0);
    const Tensor& x = call.input(1);
    const Tensor& grid = call.input(2);
    const Edge edge{call.text("padding_mode"), call.flag("align_corners")};
    const Extent extent{x.dim(2), x.dim(3), edge};
    const int64_t places = grid.dim(1) * grid.dim(2);
    const bool finite = check_inputs(call.inputs, call.status);
    const auto compute = [&]<class W>() {
        const std::vector<W> given = widened<W>(gradient);
        const std::vector<W> in = widened<W>(x);
        const std::vector<W> at = widened<W>(grid);
        std::vector<W> image(in.size());
        std::vector<W> moved(at.size());
        const ImageGradient<W> one(extent, x.dim(1), places, call.integer("interpolation_mode"));
        for (int64_t n = 0; n < x.dim(0); ++n) {
            const int64_t first = n * x.dim(1) * extent.height * extent.width;
            one.add(given.data() + n * x.dim(1) * places,
                    in.data() + first,
                    at.data() + n * places * 2,
                    image.data() + first,
                    moved.data() + n * places * 2);
        }
        const OverflowMode mode = call.numerics.overflow_mode();
        call.outputs = {narrowed<W>(image, x.dtype(), x.shape(), mode, finite, call.status),
                        narrowed<W>(moved, grid.dtype(), grid.shape(), mode, finite, call.status)};
    };
    if (x.dtype() == DType::kFloat64)
        compute.template operator()<double>();
    else
        compute.template operator()<float>();
}

}  // namespace

std::span<const Kernel> sample_gradient_kernels() {
    static constexpr auto kRows = std::to_array<Kernel>({
        {.type = "GridSampler2DGrad",
         .formula = "gradients of GridSampler2D by the image and by the places of grid",
         .dtypes = kThroughFloat32,
         .source = "; order of the sums not public",
         .run = run_grid_sampler_gradient},
    });
    return kRows;
}

}  // namespace npuscope::backend
