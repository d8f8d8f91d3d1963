// How fast the numbers of `msaccucmp compare` are made, beside how fast memory can be read.
//
// Three passes make all ten columns: differences; products and masses; the divergence.
#include <benchmark/benchmark.h>
#include <cstring>
#include <random>
#include <vector>

#include "msaccucmp/numpy/numpy_chunks.h"
#include "msaccucmp/numpy/pair_numbers.h"

namespace npuscope::msaccucmp {
namespace {

constexpr size_t kCount = size_t{32} << 20;

struct Data {
    std::vector<float> x;
    std::vector<float> y;
    Data() : x(kCount), y(kCount) {
        std::mt19937 random(1);
        std::normal_distribution<float> normal;
        for (size_t i = 0; i < kCount; ++i) {
            y[i] = normal(random);
            x[i] = y[i] + 1e-3f * normal(random);
        }
    }
};
const Data& data() {
    static const Data data;
    return data;
}

void set_rate(benchmark::State& state) {
    state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(2 * kCount * sizeof(float)));
}

// glibc's search for a byte that is not there, over as many bytes.
void read_memory(benchmark::State& state) {
    const std::vector<char> memory(2 * kCount * sizeof(float), 'x');
    for ([[maybe_unused]] auto _ : state)
        benchmark::DoNotOptimize(std::memchr(memory.data(), 'y', memory.size()));
    set_rate(state);
}
BENCHMARK(read_memory)->Unit(benchmark::kMillisecond);

/// Argument 1: the same 512 KB again and again, which stay in the second-level cache.
template <class Chunk>
void each_chunk(benchmark::State& state, Chunk chunk) {
    const size_t period = state.range(0) != 0 ? 8 * kSumChunk : kCount;
    const Data& pair = data();
    for ([[maybe_unused]] auto _ : state)
        for (size_t at = 0; at < kCount; at += kSumChunk)
            benchmark::DoNotOptimize(
                chunk(pair.x.data() + at % period, pair.y.data() + at % period, kSumChunk));
    set_rate(state);
}
void differences(benchmark::State& state) {
    each_chunk(state, difference_sums);
}
void products_and_masses(benchmark::State& state) {
    const Centres centres{5000, 5000, 0.1, 0.1, {-5, 10}, {-5, 10}};
    each_chunk(state, [&](const float* x, const float* y, size_t count) {
        return centred_sums(x, y, count, centres);
    });
}
void divergence(benchmark::State& state) {
    const Masses masses{{-5, 10}, {-5, 10}, 1e6, 1e6};
    each_chunk(state, [&](const float* x, const float* y, size_t count) {
        return divergence_sum(x, y, count, masses);
    });
}
BENCHMARK(differences)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK(products_and_masses)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK(divergence)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void all_columns(benchmark::State& state) {
    const FloatSource x(data().x.data(), kCount);
    const FloatSource y(data().y.data(), kCount);
    const auto threads = static_cast<int>(state.range(0));
    for ([[maybe_unused]] auto _ : state)
        benchmark::DoNotOptimize(
            pair_numbers(x, y, {.cosine = true, .divergence = true, .deviation = true}, threads));
    set_rate(state);
}
BENCHMARK(all_columns)->Arg(1)->Arg(0)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace npuscope::msaccucmp

BENCHMARK_MAIN();
