#include "npu_backend/kernels/convolution/convolution_columns.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/memory_block.h"
#include "core/parallel/parallel_for.h"

namespace npuscope::backend {

namespace {

using Three = ConvolutionGeometry::Three;

/// A place on three axes that counts up in C order.
struct Place {
    Three at{};

    Place(int64_t index, const Three& size) {
        at[2] = index % size[2];
        at[1] = index / size[2] % size[1];
        at[0] = index / (size[2] * size[1]);
    }
    void next(const Three& size) {
        if (++at[2] < size[2]) return;
        at[2] = 0;
        if (++at[1] < size[1]) return;
        at[1] = 0;
        ++at[0];
    }
};

/// Channels with zeros around them, wide enough for every tap of every pixel. The offset of an
/// element is that of its pixel plus that of its tap, and neighbouring pixels of a line are
/// neighbours: where the stride is s, a line holds every s-th element first, then their neighbours.
template <class W>
class Planes {
  public:
    /// What the filter of a convolution meets; pixels are output pixels.
    static Planes of_image(const ConvolutionGeometry& g, const W* image) {
        Planes planes(g.out, g.stride);
        Three extent{};
        for (size_t axis = 0; axis < 3; ++axis)
            extent[axis] =
                (g.out[axis] - 1) * g.stride[axis] + (g.taps[axis] - 1) * g.dilation[axis] + 1;
        const bool as_it_is = extent == g.size && g.stride[2] == 1 && g.pad == Three{0, 0, 0};
        planes.set_extent(extent);
        for (Place tap(0, g.taps); planes.taps_.size() < static_cast<size_t>(g.tap_count());
             tap.next(g.taps))
            planes.add_tap(
                {tap.at[0] * g.dilation[0], tap.at[1] * g.dilation[1], tap.at[2] * g.dilation[2]});
        if (as_it_is)
            planes.borrow(image, g.group_inputs());
        else
            planes.fill(g.group_inputs(), image, g.size, {1, 1, 1}, g.pad);
        return planes;
    }

    /// What reaches the input of a convolution; pixels are input pixels.
    static Planes of_gradient(const ConvolutionGeometry& g, const W* gradient) {
        Planes planes(g.size, {1, 1, 1});
        Three extent{};
        Three before{};
        for (size_t axis = 0; axis < 3; ++axis) {
            const int64_t reach = (g.taps[axis] - 1) * g.dilation[axis];
            extent[axis] = g.size[axis] + reach;
            before[axis] = reach - g.pad[axis];
        }
        planes.set_extent(extent);
        for (Place tap(0, g.taps); planes.taps_.size() < static_cast<size_t>(g.tap_count());
             tap.next(g.taps))
            planes.add_tap({(g.taps[0] - 1 - tap.at[0]) * g.dilation[0],
                            (g.taps[1] - 1 - tap.at[1]) * g.dilation[1],
                            (g.taps[2] - 1 - tap.at[2]) * g.dilation[2]});
        planes.fill(g.group_outputs(), gradient, g.out, g.stride, before);
        return planes;
    }

    [[nodiscard]] const W* channel(int64_t index) const { return data_ + index * plane_; }
    [[nodiscard]] int64_t plane() const { return plane_; }
    [[nodiscard]] int64_t channels() const { return channels_; }
    [[nodiscard]] const Three& pixels() const { return pixels_; }
    [[nodiscard]] const std::vector<int64_t>& taps() const { return taps_; }
    [[nodiscard]] int64_t offset(const Three& pixel) const {
        return pixel[0] * stride_[0] * extent_[1] * line_ + pixel[1] * stride_[1] * line_ +
               pixel[2];
    }

  private:
    Planes(const Three& pixels, const Three& stride) : pixels_(pixels), stride_(stride) {}

    void set_extent(const Three& extent) {
        extent_ = extent;
        part_ = (extent[2] + stride_[2] - 1) / stride_[2];
        line_ = part_ * stride_[2];
        plane_ = extent[0] * extent[1] * line_;
    }
    void add_tap(const Three& at) {
        taps_.push_back((at[0] * extent_[1] + at[1]) * line_ + at[2] % stride_[2] * part_ +
                        at[2] / stride_[2]);
    }
    void borrow(const W* image, int64_t channels) {
        data_ = image;
        channels_ = channels;
    }

    /// Element i of the source lies at i * spread + before; the rest is 0.
    void fill(int64_t channels,
              const W* source,
              const Three& size,
              const Three& spread,
              const Three& before) {
        channels_ = channels;
        held_ = Buffer<W>(static_cast<size_t>(channels * plane_));
        data_ = held_.data();
        W* line = held_.data();
        const auto source_of = [&](size_t axis, int64_t place) -> int64_t {
            const int64_t at = place - before[axis];
            return at >= 0 && at % spread[axis] == 0 && at / spread[axis] < size[axis]
                       ? at / spread[axis]
                       : -1;
        };
        for (int64_t c = 0; c < channels; ++c, source += size[0] * size[1] * size[2])
            for (int64_t d = 0; d < extent_[0]; ++d)
                for (int64_t h = 0; h < extent_[1]; ++h, line += line_) {
                    const int64_t from_d = source_of(0, d);
                    const int64_t from_h = source_of(1, h);
                    std::fill_n(line, line_, W{0});
                    if (from_d < 0 || from_h < 0) continue;
                    fill_line(source + (from_d * size[1] + from_h) * size[2],
                              size[2],
                              spread[2],
                              before[2],
                              line);
                }
    }
    void fill_line(const W* source, int64_t size, int64_t spread, int64_t before, W* line) const {
        // First and last element that lie within.
        const int64_t first = before >= 0 ? 0 : (-before + spread - 1) / spread;
        const int64_t last = std::min(size, (extent_[2] - 1 - before + spread) / spread);
        if (spread == 1 && stride_[2] == 1) {
            if (last > first) std::copy(source + first, source + last, line + first + before);
            return;
        }
        for (int64_t i = first; i < last; ++i) {
            const int64_t at = i * spread + before;
            line[at % stride_[2] * part_ + at / stride_[2]] = source[i];
        }
    }

    Three pixels_, stride_;
    Three extent_{};
    int64_t part_ = 0;  ///< elements of a line with one remainder by the stride
    int64_t line_ = 0;
    int64_t plane_ = 0;
    int64_t channels_ = 0;
    std::vector<int64_t> taps_;
    Buffer<W> held_;
    const W* data_ = nullptr;
};

/// Pixels of one line: columns [begin, begin + count) of the panel.
struct Run {
    int64_t offset, begin, count;
};

template <class W>
std::vector<Run> runs_of(const Planes<W>& planes, int64_t first, int64_t count) {
    std::vector<Run> runs;
    const Three& size = planes.pixels();
    Place place(first, size);
    for (int64_t i = 0; i < count;) {
        const int64_t length = std::min(count - i, size[2] - place.at[2]);
        runs.push_back({planes.offset(place.at), i, length});
        i += length;
        place.at[2] += length - 1;
        place.next(size);
    }
    return runs;
}

/// Pieces of one size, the last one up to the end of the run.
template <size_t kBytes>
void copy_pieces(const std::byte* from, std::byte* to, size_t bytes) {
    for (size_t i = 0; i + kBytes < bytes; i += kBytes)
        std::memcpy(to + i, from + i, kBytes);
    std::memcpy(to + bytes - kBytes, from + bytes - kBytes, kBytes);
}

template <class W>
void copy_run(const W* from_elements, W* to_elements, int64_t count) {
    const auto* from = reinterpret_cast<const std::byte*>(from_elements);
    auto* to = reinterpret_cast<std::byte*>(to_elements);
    const size_t bytes = static_cast<size_t>(count) * sizeof(W);
    if (bytes >= 64)
        copy_pieces<64>(from, to, bytes);
    else if (bytes >= 16)
        copy_pieces<16>(from, to, bytes);
    else
        copy_pieces<sizeof(W)>(from, to, bytes);
}

template <class W>
PackPanel<W> pixel_columns(Planes<W>&& given) {
    // Shared: a PackPanel can be copied.
    const auto planes = std::make_shared<const Planes<W>>(std::move(given));
    return [planes](int64_t first, int64_t count, int64_t width, W* panel) {
        const std::vector<Run> runs = runs_of(*planes, first, count);
        for (int64_t c = 0; c < planes->channels(); ++c) {
            for (const int64_t tap : planes->taps()) {
                const W* from = planes->channel(c) + tap;
                for (const Run& run : runs)
                    copy_run(from + run.offset, panel + run.begin, run.count);
                std::fill(panel + count, panel + width, W{0});
                panel += width;
            }
        }
    };
}

template <class W>
PackPanel<W> batch_columns(const ConvolutionGeometry& g, const W* images, int threads) {
    std::vector<std::optional<Planes<W>>> filled(static_cast<size_t>(g.batch));
    parallel_for(g.batch, threads, [&](int64_t n) {
        filled[static_cast<size_t>(n)] = Planes<W>::of_image(g, images + n * g.inputs * g.pixels());
    });
    const auto planes = std::make_shared<const decltype(filled)>(std::move(filled));
    return [planes, taps = g.tap_count(), pixels = g.out_pixels()](
               int64_t first, int64_t count, int64_t width, W* panel) {
        std::vector<int64_t> lines(static_cast<size_t>(count));
        for (const std::optional<Planes<W>>& image : *planes) {
            for (int64_t i = 0; i < count; ++i)
                lines[static_cast<size_t>(i)] =
                    (first + i) / taps * image->plane() +
                    image->taps()[static_cast<size_t>((first + i) % taps)];
            Place pixel(0, image->pixels());
            for (int64_t p = 0; p < pixels; ++p, pixel.next(image->pixels()), panel += width) {
                const W* from = image->channel(0) + image->offset(pixel.at);
                for (int64_t i = 0; i < count; ++i)
                    panel[i] = from[lines[static_cast<size_t>(i)]];
                std::fill(panel + count, panel + width, W{0});
            }
        }
    };
}

}  // namespace

template <class W>
PackPanel<W> image_columns(const ConvolutionGeometry& g, const W* image) {
    return pixel_columns(Planes<W>::of_image(g, image));
}

template <class W>
PackPanel<W> gradient_columns(const ConvolutionGeometry& g, const W* gradient) {
    return pixel_columns(Planes<W>::of_gradient(g, gradient));
}

template <class W>
PackPanel<W> weight_columns(const ConvolutionGeometry& g, const W* images, int threads) {
    return batch_columns(g, images, threads);
}

#define NPUSCOPE_COLUMNS(W)                                                          \
    template PackPanel<W> image_columns<W>(const ConvolutionGeometry&, const W*);    \
    template PackPanel<W> gradient_columns<W>(const ConvolutionGeometry&, const W*); \
    template PackPanel<W> weight_columns<W>(const ConvolutionGeometry&, const W*, int);
NPUSCOPE_COLUMNS(float)
NPUSCOPE_COLUMNS(double)
#undef NPUSCOPE_COLUMNS

}  // namespace npuscope::backend
