// Reading a training log of 1 GB. Goal: 500 MB/s with two cores, the file in the page cache.
#include <benchmark/benchmark.h>
#include <cstdio>
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "loss/formats/format.h"

namespace npuscope::loss {
namespace {

namespace fs = std::filesystem;

// Lines as Megatron-LM prints them, with a line of memory after every tenth.
void write_megatron(const fs::path& path, int64_t bytes) {
    std::FILE* file = std::fopen(path.c_str(), "wb");
    int64_t written = 0;
    for (int64_t step = 1; written < bytes; ++step) {
        std::string line = fmt::format(
            " [2024-08-01 12:00:00] iteration {:8d}/ 9999999 | consumed samples: {:12d} | elapsed "
            "time per "
            "iteration (ms): 812.3 | throughput per GPU (TFLOP/s/GPU): 412.3 | learning rate: "
            "1.500000E-04 | "
            "global batch size:    64 | lm loss: {:.6E} | loss scale: 1.0 | grad norm: {:.3f} | "
            "num zeros: 0 | "
            "params norm: 312.211 | number of skipped iterations:   0 | number of nan iterations:  "
            " 0 |\n",
            step,
            64 * step,
            5 + 5 / (1 + 0.0005 * static_cast<double>(step)) +
                1e-4 * static_cast<double>(step * 7919 % 1000),
            1 + 1e-3 * static_cast<double>(step * 104729 % 1000));
        if (step % 10 == 0)
            line +=
                "[Rank 0] (after 10 iterations) memory (MB) | allocated: 10176.5 | max allocated: "
                "17257.1\n";
        written += static_cast<int64_t>(std::fwrite(line.data(), 1, line.size(), file));
    }
    std::fclose(file);
}

void read_megatron_log(benchmark::State& state) {
    const fs::path path = fs::temp_directory_path() / "npuscope_bench_loss.log";
    write_megatron(path, state.range(0) << 20);
    const auto bytes = static_cast<int64_t>(fs::file_size(path));
    size_t records = 0;
    for ([[maybe_unused]] auto _ : state)
        records = read_log(path).of(Quantity::kLoss).size();
    state.SetBytesProcessed(bytes * static_cast<int64_t>(state.iterations()));
    state.counters["records"] = static_cast<double>(records);
    fs::remove(path);
}
BENCHMARK(read_megatron_log)
    ->Arg(1024)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->MeasureProcessCPUTime();

}  // namespace
}  // namespace npuscope::loss

BENCHMARK_MAIN();
