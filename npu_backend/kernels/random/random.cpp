// Random kernels: numbers by counter, from attributes seed and seed2 and the element's place.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/base/error.h"
#include "npu_backend/kernels/pointwise/formula.h"
#include "npu_backend/kernels/pointwise/pointwise.h"
#include "npu_backend/numerics/philox.h"

namespace npuscope::backend {

namespace {

Philox stream_of(const KernelCall& call) {
    return {static_cast<uint64_t>(call.integer("seed")),
            static_cast<uint64_t>(call.integer("seed2"))};
}

double probability_of(const KernelCall& call, const char* name) {
    const double p = call.number(name);
    if (!(p >= 0 && p <= 1))
        call.reject("a probability of " + std::to_string(p) + " is outside 0 to 1");
    return p;
}

/// Input 0 names the shape; attribute prob is the share that is kept.
void run_dropout_mask(KernelCall& call) {
    const double keep = probability_of(call, "prob");
    const Philox random = stream_of(call);
    Tensor mask(DType::kBool, call.input(0).shape());
    const auto out = mask.mutable_as<bool>();
    for (size_t i = 0; i < out.size(); ++i)
        out[i] = random.uniform(i) < keep;
    call.outputs = {std::move(mask)};
}

/// Inputs x, mask; attribute scale: 1 / the share that is kept.
void run_dropout(KernelCall& call) {
    const Tensor& x = call.input(0);
    if (call.input(1).dtype() != DType::kBool || call.input(1).shape() != x.shape())
        call.refuse(call.input(1).dtype());
    const auto kept = call.input(1).as<bool>();
    const double scale = call.number("scale");
    visit_float(call, x.dtype(), [&]<class T>() {
        using W = Wide<T>;
        const auto in = x.as<T>();
        Tensor y(x.dtype(), x.shape());
        const auto out = y.template mutable_as<T>();
        for_tiles(x.numel(), call, [&](int64_t begin, int64_t end) {
            Rounder<T> round(call.numerics.overflow_mode());
            for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i)
                out[i] = kept[i]
                             ? round(static_cast<double>(widen<W>(in[i]) * static_cast<W>(scale)),
                                     always(is_finite(in[i])))
                             : round_nearest<T>(0.0);
            return round.status();
        });
        call.outputs = {std::move(y)};
    });
}

/// y[i] = draw(i) in the dtype and shape of input 0.
template <class Draw>
void fill_random(KernelCall& call, Draw&& draw) {
    Tensor y(call.input(0).dtype(), call.input(0).shape());
    visit_dtype(y.dtype(), [&]<class T>() {
        const auto out = y.template mutable_as<T>();
        for (size_t i = 0; i < out.size(); ++i) {
            if constexpr (kIsFloat<T>)
                out[i] = round_nearest<T>(draw(i));
            else
                out[i] = static_cast<T>(draw(i));
        }
    });
    call.outputs = {std::move(y)};
}

/// Input 1 holds the probabilities, one for all or one each.
void run_bernoulli(KernelCall& call) {
    const Philox random = stream_of(call);
    const Tensor& p = call.input(1);
    if (p.numel() != 1 && p.shape() != call.input(0).shape())
        throw Error(ErrorKind::kUsage,
                    "kernel Bernoulli: probabilities " + to_string(p.shape()) + " do not fit " +
                        to_string(call.input(0).shape()));
    for (int64_t i = 0; i < p.numel(); ++i)
        if (!(p.at(i) >= 0 && p.at(i) <= 1))
            throw Error(ErrorKind::kUsage, "kernel Bernoulli: a probability is outside 0 to 1");
    fill_random(call, [&](size_t i) {
        const double chance = p.at(p.numel() == 1 ? 0 : static_cast<int64_t>(i));
        return random.uniform(i) < chance ? 1.0 : 0.0;
    });
}

/// Cut to the bits that the dtype holds below 1, so that `to` is never reached.
double cut(double u, DType dtype) {
    const int bits = is_float(dtype) ? info(dtype).significand_bits : 53;
    return std::ldexp(std::floor(std::ldexp(u, bits)), -bits);
}

void run_uniform(KernelCall& call) {
    const Philox random = stream_of(call);
    const double from = call.number("from");
    const double to = call.number("to");
    fill_random(call, [&](size_t i) {
        return from + (to - from) * cut(random.uniform(i), call.input(0).dtype());
    });
}

/// Integers of [from, to).
void run_whole(KernelCall& call) {
    const Philox random = stream_of(call);
    const int64_t from = call.integer("from");
    const auto count = static_cast<double>(call.integer("to") - from);
    fill_random(call, [&](size_t i) {
        return static_cast<double>(from) + std::floor(random.uniform(i) * count);
    });
}

/// Box and Muller, "A note on the generation of random normal deviates", 1958.
void run_normal(KernelCall& call) {
    const Philox random = stream_of(call);
    const double mean = call.number("mean");
    const double deviation = call.number("stdev");
    fill_random(call, [&](size_t i) {
        const double radius = std::sqrt(-2 * std::log1p(-random.uniform(2 * (i / 2))));
        const double angle = 2 * M_PI * random.uniform(2 * (i / 2) + 1);
        return mean + deviation * radius * (i % 2 == 0 ? std::cos(angle) : std::sin(angle));
    });
}

void run_permutation(KernelCall& call) {
    const Philox random = stream_of(call);
    std::vector<int64_t> order(static_cast<size_t>(call.input(0).numel()));
    std::iota(order.begin(), order.end(), 0);
    for (size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1],
                  order[static_cast<size_t>(random.uniform(i) * static_cast<double>(i))]);
    fill_random(call, [&](size_t i) { return static_cast<double>(order[i]); });
}

}  // namespace

std::span<const Kernel> random_kernels() {
    constexpr std::string_view kAny = "any; one rounding";
    constexpr std::string_view kNumbers =
        "CANN operator of this name; the numbers are Philox4x32-10 of seed, seed2 and the place";
    static constexpr auto kRows = std::to_array<Kernel>({
        {.type = "DropOutGenMask",
         .formula = "true with probability prob",
         .dtypes = "to bool (the CANN operator packs bits)",
         .source = kNumbers,
         .run = run_dropout_mask},
        {.type = "DropOutDoMask",
         .formula = "mask ? x scale : 0",
         .dtypes = kThroughFloat32,
         .source = "; steps ours",
         .run = run_dropout},
        {.type = "Bernoulli",
         .formula = "1 with probability p, else 0",
         .dtypes = kAny,
         .source = kNumbers,
         .run = run_bernoulli},
        {.type = "Uniform",
         .formula = "evenly from [from, to)",
         .dtypes = kAny,
         .source = kNumbers,
         .run = run_uniform},
        {.type = "RandomUniformInt",
         .formula = "an integer of [from, to)",
         .dtypes = kAny,
         .source = kNumbers,
         .run = run_whole},
        {.type = "Normal",
         .formula = "normal of mean and stdev",
         .dtypes = kAny,
         .source = kNumbers,
         .run = run_normal},
        {.type = "StatelessRandperm",
         .formula = "0 to n - 1 in random order",
         .dtypes = "any",
         .source = kNumbers,
         .run = run_permutation},
    });
    return kRows;
}

}  // namespace npuscope::backend
