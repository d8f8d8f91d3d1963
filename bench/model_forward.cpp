// Forward runs of an ONNX model in one process: median of the runs after the first, and peak
// memory.
//
//   bench_model_forward MODEL.onnx INPUT.npz [cpu|CHIP] [RUNS] [THREADS]
//
// Prints one line of JSON. Goal: at least 0.6 of PyTorch's speed for a residual network in the fp32
// reference (bench/compare_models.py).
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <sys/resource.h>
#include <vector>

#include "core/base/error.h"
#include "core/npz/npy.h"
#include "npu_backend/executor.h"
#include "npu_backend/onnx/model.h"

namespace {

using namespace npuscope;  // NOLINT(google-build-using-namespace)
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Of this program alone; getrusage would start with what its parent had.
double peak_megabytes() {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;)
        if (word == "VmHWM:") {
            double kilobytes = 0;
            status >> kilobytes;
            return kilobytes / 1024;
        }
    return 0;
}

/// Of all threads so far; what a busy machine leaves alone.
double processor_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Time by op, of everything between begin and end.
struct OpClock : Observer {
    void op_begin(const OpBegin&) override { start = Clock::now(); }
    void op_end(const OpEnd& event) override {
        spent[std::string(event.name)] += seconds_since(start);
    }
    Clock::time_point start;
    std::map<std::string, double> spent;
};

int run(int argc, char** argv) {
    const onnx_model::Model model = onnx_model::Model::load(argv[1]);
    NamedTensors inputs;
    for (auto& [name, tensor] : read_npz(argv[2]))
        if (name.starts_with("in_")) inputs.emplace_back(name.substr(3), tensor);
    const std::string where = argc > 3 ? argv[3] : "cpu";
    const int runs = argc > 4 ? std::atoi(argv[4]) : 5;
    ExecutorOptions options;
    options.threads = argc > 5 ? std::atoi(argv[5]) : 0;
    const Device device = where == "cpu" ? Device::reference32() : Device::npu(chip(where));
    std::vector<double> times;
    std::vector<double> processor;
    OpClock ops;
    for (int i = 0; i <= runs; ++i) {
        Executor executor(device, options);
        if (i == runs) executor.attach(ops);
        const Clock::time_point start = Clock::now();
        const double before = processor_seconds();
        (void)model.run(executor, inputs);
        if (i == 0) continue;
        times.push_back(seconds_since(start));
        processor.push_back(processor_seconds() - before);
    }
    std::sort(times.begin(), times.end());
    std::sort(processor.begin(), processor.end());
    std::printf("{\"device\": \"%s\", \"median_s\": %.4f, \"processor_s\": %.4f, \"peak_mb\": %.0f",
                device.description().c_str(),
                times[times.size() / 2],
                processor[processor.size() / 2],
                peak_megabytes());
    std::vector<std::pair<double, std::string>> sorted;
    for (const auto& [name, spent] : ops.spent)
        sorted.emplace_back(spent, name);
    std::sort(sorted.rbegin(), sorted.rend());
    std::printf(", \"ops_s\": {");
    for (size_t i = 0; i < sorted.size(); ++i)
        std::printf(
            "%s\"%s\": %.4f", i == 0 ? "" : ", ", sorted[i].second.c_str(), sorted[i].first);
    std::printf("}}\n");
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr,
                     "bench_model_forward MODEL.onnx INPUT.npz [cpu|CHIP] [RUNS] [THREADS]\n");
        return 2;
    }
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench_model_forward: %s\n", error.what());
        return 2;
    }
}
