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
#include <map>
#include <string>
#include <sys/resource.h>
#include <vector>

#include "core/base/error.h"
#include "core/npz/npy.h"
#include "npu_backend/executor.h"
#include "npu_backend/onnx/model.h"

namespace {

using namespace npuscope;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
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
    OpClock ops;
    for (int i = 0; i <= runs; ++i) {
        Executor executor(device, options);
        if (i == runs) executor.attach(ops);
        const Clock::time_point start = Clock::now();
        (void)model.run(executor, inputs);
        if (i > 0) times.push_back(seconds_since(start));
    }
    std::sort(times.begin(), times.end());
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    std::printf("{\"device\": \"%s\", \"median_s\": %.4f, \"fastest_s\": %.4f, \"peak_mb\": %.0f",
                device.description().c_str(),
                times[times.size() / 2],
                times.front(),
                static_cast<double>(usage.ru_maxrss) / 1024);
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
