// How fast `npuscope compare` measures two float32 tensors in memory, beside how fast memory can be
// read at all.
//
// Goal: all metrics but the divergence at 0.6 of the read rate or better, one thread.
#include <benchmark/benchmark.h>
#include <cstring>
#include <random>
#include <vector>

#include "compare/measure/accumulate.h"

namespace npuscope::compare {
namespace {

constexpr int64_t kCount = int64_t{64} << 20;

const Tensor& noisy(bool target) {
    static const auto make = [](bool with_noise) {
        Tensor tensor(DType::kFloat32, {kCount});
        std::mt19937 random(1);
        std::mt19937 noise(2);
        std::uniform_real_distribution<float> uniform(-1, 1);
        for (float& value : tensor.mutable_as<float>())
            value = uniform(random) + (with_noise ? 1e-3f * uniform(noise) : 0);
        return tensor;
    };
    static const Tensor golden = make(false);
    static const Tensor noisy_target = make(true);
    return target ? noisy_target : golden;
}

void set_rate(benchmark::State& state) {
    state.SetBytesProcessed(state.iterations() * 2 * kCount * 4);
}

// The fastest plain reader of both tensors that we know: glibc's search for a byte that is not
// there.
void read_memory(benchmark::State& state) {
    const std::vector<char> memory(size_t{2} * kCount * 4, 'x');
    for ([[maybe_unused]] auto _ : state)
        benchmark::DoNotOptimize(std::memchr(memory.data(), 'y', memory.size()));
    set_rate(state);
}
void all_but_divergence(benchmark::State& state) {
    const auto threads = static_cast<int>(state.range(0));
    const Tensor& target = noisy(true);
    const Tensor& golden = noisy(false);
    for ([[maybe_unused]] auto _ : state)
        benchmark::DoNotOptimize(accumulate(target, golden, false, threads));
    set_rate(state);
}
void with_divergence(benchmark::State& state) {
    const auto threads = static_cast<int>(state.range(0));
    const Tensor& target = noisy(true);
    const Tensor& golden = noisy(false);
    for ([[maybe_unused]] auto _ : state)
        benchmark::DoNotOptimize(accumulate(target, golden, true, threads));
    set_rate(state);
}
BENCHMARK(read_memory)->Unit(benchmark::kMillisecond);
BENCHMARK(all_but_divergence)->Arg(1)->Arg(0)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(with_divergence)->Arg(1)->Arg(0)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace npuscope::compare

BENCHMARK_MAIN();
