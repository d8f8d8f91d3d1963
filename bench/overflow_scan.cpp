// How fast tensors are scanned for overflow, beside how fast memory can be read at all.
//
// Goal: float16 from memory at 0.7 of the read rate or better (read_memory in the same run);
// tensors full of subnormals, where every tile is counted in detail, at a third of it.
#include <benchmark/benchmark.h>
#include <cstring>
#include <random>
#include <vector>

#include "overflow/census.h"
#include "overflow/census_bits.h"

namespace npuscope::overflow {
namespace {

constexpr int64_t kBytes = int64_t{256} << 20;

// Uniform bits with the exponent's top bit cleared: finite, magnitudes below 2.
Tensor ordinary(DType dtype) {
    Tensor tensor(dtype, {kBytes / static_cast<int64_t>(size_of(dtype))});
    std::mt19937_64 random(1);
    auto* words = reinterpret_cast<uint64_t*>(tensor.mutable_data());
    const uint64_t mask = dtype == DType::kFloat32 ? 0xbfffffffbfffffff : 0xbfffbfffbfffbfff;
    const uint64_t normal = dtype == DType::kFloat32 ? 0x0080000000800000 : 0x0400040004000400;
    for (int64_t i = 0; i < kBytes / 8; ++i)
        words[i] = (random() & mask) | normal;
    return tensor;
}

Tensor subnormal() {
    Tensor tensor(DType::kFloat16, {kBytes / 2});
    auto elements = tensor.mutable_as<Float16>();
    for (size_t i = 0; i < elements.size(); ++i)
        elements[i].bits = static_cast<uint16_t>(i % 2048);
    return tensor;
}

void set_rate(benchmark::State& state) {
    state.SetBytesProcessed(state.iterations() * kBytes);
}

// glibc's search for a byte that is not there: the reference for "as fast as memory".
void read_memory(benchmark::State& state) {
    std::vector<char> memory(static_cast<size_t>(kBytes), 'x');
    for ([[maybe_unused]] auto _ : state)
        benchmark::DoNotOptimize(std::memchr(memory.data(), 'y', memory.size()));
    set_rate(state);
}
BENCHMARK(read_memory)->Unit(benchmark::kMillisecond);

void census(benchmark::State& state, const Tensor& tensor, int threads) {
    for ([[maybe_unused]] auto _ : state)
        benchmark::DoNotOptimize(take_census(tensor.view(), threads));
    set_rate(state);
}
void census_float16(benchmark::State& state) {
    census(state, ordinary(DType::kFloat16), 1);
}
void census_float16_all_cores(benchmark::State& state) {
    census(state, ordinary(DType::kFloat16), 0);
}
void census_float32(benchmark::State& state) {
    census(state, ordinary(DType::kFloat32), 1);
}
void census_float16_subnormal(benchmark::State& state) {
    census(state, subnormal(), 1);
}
BENCHMARK(census_float16)->Unit(benchmark::kMillisecond);
BENCHMARK(census_float16_all_cores)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(census_float32)->Unit(benchmark::kMillisecond);
BENCHMARK(census_float16_subnormal)->Unit(benchmark::kMillisecond);

void extremes_by_level(benchmark::State& state) {
    const Tensor tensor = ordinary(DType::kFloat16);
    const auto level = static_cast<bits::Level>(state.range(0));
    if (level > bits::best_level()) {
        state.SkipWithError("this CPU has no such instructions");
        return;
    }
    for ([[maybe_unused]] auto _ : state)
        benchmark::DoNotOptimize(
            bits::extremes<uint16_t>(tensor.data(), static_cast<size_t>(tensor.numel()), level));
    set_rate(state);
}
BENCHMARK(extremes_by_level)->DenseRange(0, 2)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace npuscope::overflow

BENCHMARK_MAIN();
