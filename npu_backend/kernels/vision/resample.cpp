#include "npu_backend/kernels/vision/resample.h"

#include <mutex>

#include "core/base/error.h"
#include "core/parallel/parallel_for.h"
#include "npu_backend/numerics/rounding.h"

namespace npuscope::backend {

namespace {

int64_t elements(const TapVolume& volume) {
    return volume[0].size * volume[1].size * volume[2].size;
}

int64_t places(const TapVolume& volume) {
    return volume[0].out() * volume[1].out() * volume[2].out();
}

/// Calls f(input element, weight) for each term of each output, and done(output) after the last.
template <class F, class Done>
void for_terms(const TapVolume& volume, F&& f, Done&& done) {
    int64_t place = 0;
    for (const std::vector<Tap>& depth : volume[0].taps)
        for (const std::vector<Tap>& height : volume[1].taps)
            for (const std::vector<Tap>& width : volume[2].taps) {
                for (const Tap& d : depth)
                    for (const Tap& h : height)
                        for (const Tap& w : width)
                            f((d.place * volume[1].size + h.place) * volume[2].size + w.place,
                              d.weight * h.weight * w.weight,
                              place);
                done(place++);
            }
}

template <class T>
void resample_plane(const TapVolume& volume, const T* in, T* out, bool finite, Rounder<T>& round) {
    using W = Wide<T>;
    W sum{0};
    for_terms(
        volume,
        [&](int64_t at, double weight, int64_t) {
            sum += static_cast<W>(weight) * widen<W>(in[at]);
        },
        [&](int64_t place) {
            out[place] = round(static_cast<double>(sum), [finite] { return finite; });
            sum = W{0};
        });
}

/// The sum that each element of the input gets from one plane of the gradient.
template <class T>
std::vector<Wide<T>> collected(const TapVolume& volume, const T* gradient) {
    using W = Wide<T>;
    std::vector<W> sums(static_cast<size_t>(elements(volume)), W{0});
    for_terms(
        volume,
        [&](int64_t at, double weight, int64_t place) {
            sums[static_cast<size_t>(at)] += static_cast<W>(weight) * widen<W>(gradient[place]);
        },
        [](int64_t) {});
    return sums;
}

}  // namespace

Tensor resampled(KernelCall& call, const Tensor& x, const TapVolume& volume, size_t spatial) {
    const int64_t each = elements(volume);
    const int64_t planes = each == 0 ? 0 : x.numel() / each;
    Shape shape = x.shape();
    for (size_t back = 1; back <= spatial; ++back)
        shape[shape.size() - back] = volume[3 - back].out();
    Tensor y(x.dtype(), shape);
    visit_float(call, x.dtype(), [&]<class T>() {
        const auto in = x.as<T>();
        const auto out = y.template mutable_as<T>();
        const bool finite = all_finite(in);
        if (!finite) call.status.raise(FloatStatus::kVectorInputNonFinite);
        std::mutex mutex;
        parallel_for(planes, call.numerics.threads, [&](int64_t plane) {
            Rounder<T> round(call.numerics.overflow_mode());
            resample_plane<T>(volume,
                              in.data() + plane * each,
                              out.data() + plane * places(volume),
                              finite,
                              round);
            const std::lock_guard guard(mutex);
            call.status.merge(round.status());
        });
    });
    return y;
}

Tensor resampled_gradient(KernelCall& call,
                          const Tensor& gradient,
                          const Shape& shape,
                          const TapVolume& volume) {
    const int64_t each = places(volume);
    const int64_t planes = each == 0 ? 0 : gradient.numel() / each;
    const auto size = static_cast<size_t>(elements(volume));
    if (gradient.numel() != planes * each || numel_of(shape) != planes * elements(volume))
        call.reject("the gradient " + to_string(gradient.shape()) + " does not fit input " +
                    to_string(shape));
    Tensor dx(gradient.dtype(), shape);
    visit_float(call, gradient.dtype(), [&]<class T>() {
        const auto in = gradient.as<T>();
        const auto out = dx.template mutable_as<T>();
        const bool finite = all_finite(in);
        if (!finite) call.status.raise(FloatStatus::kVectorInputNonFinite);
        std::mutex mutex;
        parallel_for(planes, call.numerics.threads, [&](int64_t plane) {
            const auto sums = collected<T>(volume, in.data() + plane * each);
            Rounder<T> round(call.numerics.overflow_mode());
            for (size_t i = 0; i < size; ++i)
                out[static_cast<size_t>(plane) * size + i] =
                    round(static_cast<double>(sums[i]), [finite] { return finite; });
            const std::lock_guard guard(mutex);
            call.status.merge(round.status());
        });
    });
    return dx;
}

}  // namespace npuscope::backend
