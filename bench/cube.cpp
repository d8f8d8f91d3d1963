// Speed of the emulated Cube beside the libraries that do not keep their bits: float16 products of
// 2048 x 2048 and a 3 x 3 convolution. Goal: matrix product at least 0.85 of OpenBLAS sgemm,
// convolution at least 0.9 of oneDNN float32, blockwise exact product at least 0.5 of sgemm. Random
// normal data; items are multiplications.
#include <benchmark/benchmark.h>
#include <cblas.h>
#include <dnnl.hpp>
#include <random>
#include <thread>
#include <vector>

#include "npu_backend/kernels/kernel.h"

namespace {

using namespace npuscope;           // NOLINT(google-build-using-namespace)
using namespace npuscope::backend;  // NOLINT(google-build-using-namespace)

std::vector<float> random_values(size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::vector<float> values(count);
    for (float& value : values)
        value = normal(random);
    return values;
}

Tensor random_half(Shape shape, unsigned seed) {
    const auto values = random_values(static_cast<size_t>(numel_of(shape)), seed);
    return Tensor::from<float>(shape, std::span<const float>(values)).cast(DType::kFloat16);
}

void count(benchmark::State& state, int64_t multiplications) {
    state.SetItemsProcessed(state.iterations() * multiplications);
}

void openblas_sgemm(benchmark::State& state) {
    const auto n = static_cast<blasint>(state.range(0));
    const auto a = random_values(static_cast<size_t>(n) * static_cast<size_t>(n), 1);
    const auto b = random_values(a.size(), 2);
    std::vector<float> c(a.size());
    openblas_set_num_threads(static_cast<int>(std::thread::hardware_concurrency()));
    for ([[maybe_unused]] auto _ : state)
        cblas_sgemm(CblasRowMajor,
                    CblasNoTrans,
                    CblasNoTrans,
                    n,
                    n,
                    n,
                    1.0f,
                    a.data(),
                    n,
                    b.data(),
                    n,
                    0.0f,
                    c.data(),
                    n);
    count(state, int64_t{n} * n * n);
}

void cube_matmul(benchmark::State& state, const std::string& model) {
    const int64_t n = state.range(0);
    const Tensor a = random_half({n, n}, 1);
    const Tensor b = random_half({n, n}, 2);
    const std::vector<std::string> settings = {"cube_acc=" + model};
    const Numerics numerics{Device::npu(chip("910A"), settings), 0};
    const Kernel* kernel = find_kernel("MatMul");
    for ([[maybe_unused]] auto _ : state) {
        KernelCall call{
            kernel->type,
            {a, b},
            {{"transpose_x1", false}, {"transpose_x2", false}, {"output_dtype", DType::kFloat32}},
            numerics};
        kernel->run(call);
        benchmark::DoNotOptimize(call.outputs);
    }
    count(state, n * n * n);
}

constexpr int64_t kImages = 8;
constexpr int64_t kChannels = 64;
constexpr int64_t kSize = 56;

void onednn_convolution(benchmark::State& state) {
    using namespace dnnl;  // NOLINT(google-build-using-namespace)
    engine cpu(engine::kind::cpu, 0);
    stream run(cpu);
    const memory::dims image = {kImages, kChannels, kSize, kSize};
    const memory::dims filter = {kChannels, kChannels, 3, 3};
    const auto any = memory::format_tag::any;
    const auto f32 = memory::data_type::f32;
    const convolution_forward::desc what(prop_kind::forward_inference,
                                         algorithm::convolution_direct,
                                         {image, f32, any},
                                         {filter, f32, any},
                                         {image, f32, any},
                                         {1, 1},
                                         {1, 1},
                                         {1, 1});
    const convolution_forward::primitive_desc how(what, cpu);
    auto x = random_values(static_cast<size_t>(kImages * kChannels * kSize * kSize), 1);
    auto w = random_values(static_cast<size_t>(kChannels * kChannels * 9), 2);
    std::vector<float> y(x.size());
    memory given({image, f32, memory::format_tag::nchw}, cpu, x.data());
    memory weights({filter, f32, memory::format_tag::oihw}, cpu, w.data());
    memory result({image, f32, memory::format_tag::nchw}, cpu, y.data());
    memory src(how.src_desc(), cpu);
    memory wei(how.weights_desc(), cpu);
    memory dst(how.dst_desc(), cpu);
    for ([[maybe_unused]] auto _ : state) {
        reorder(given, src).execute(run, given, src);
        reorder(weights, wei).execute(run, weights, wei);
        convolution_forward(how).execute(
            run, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, wei}, {DNNL_ARG_DST, dst}});
        reorder(dst, result).execute(run, dst, result);
        run.wait();
    }
    count(state, kImages * kChannels * kChannels * kSize * kSize * 9);
}

void cube_convolution(benchmark::State& state, const std::string& model) {
    const Tensor x = random_half({kImages, kChannels, kSize, kSize}, 1);
    const Tensor w = random_half({kChannels, kChannels, 3, 3}, 2);
    const std::vector<std::string> settings = {"cube_acc=" + model};
    const Numerics numerics{Device::npu(chip("910A"), settings), 0};
    const Kernel* kernel = find_kernel("Conv2D");
    for ([[maybe_unused]] auto _ : state) {
        KernelCall call{kernel->type,
                        {x, w},
                        {{"strides", IntList{1, 1, 1, 1}},
                         {"pads", IntList{1, 1, 1, 1}},
                         {"dilations", IntList{1, 1, 1, 1}},
                         {"groups", int64_t{1}},
                         {"output_dtype", DType::kFloat32}},
                        numerics};
        kernel->run(call);
        benchmark::DoNotOptimize(call.outputs);
    }
    count(state, kImages * kChannels * kChannels * kSize * kSize * 9);
}

BENCHMARK(openblas_sgemm)->Arg(2048)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(cube_matmul, seq_rne, "seq_rne")
    ->Arg(2048)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(cube_matmul, blk16_exact, "blk16_exact")
    ->Arg(2048)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(onednn_convolution)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(cube_convolution, seq_rne, "seq_rne")
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
