// Index of a dump-like file, from its bytes and by the library: 50 000 datasets of 4 KB with five
// attributes in nested groups. Goal: below 1.5 us a dataset, and the same for a million; libhdf5
// takes some 20 us to visit and open each without attributes.
#include <algorithm>
#include <benchmark/benchmark.h>
#include <filesystem>
#include <memory>
#include <string>

#include "core/h5/index.h"

namespace {

namespace fs = std::filesystem;
namespace h5 = npuscope::h5;

constexpr int64_t kDatasetsOfAnOp = 10;

/// The file of `count` datasets, made on first use and removed at the end.
class File {
  public:
    explicit File(int64_t count)
        : path_(fs::temp_directory_path() / ("bench_h5_index_" + std::to_string(count) + ".h5")) {
        const bool is_large = count > 100000;
        const auto data =
            npuscope::Tensor::zeros(npuscope::DType::kFloat32, {is_large ? 16 : 1024});
        const h5::Attribute attributes[] = {{"Type", int32_t{0}},
                                            {"DataType", int32_t{5}},
                                            {"DeviceType", int32_t{10}},
                                            {"Stride", std::vector<int64_t>{32, 1}},
                                            {"ComputeType", std::string("float32")}};
        h5::Writer writer(path_);
        for (int64_t i = 0; i < count; ++i) {
            const int64_t op = i / kDatasetsOfAnOp;
            writer.write_dataset("/op" + std::to_string(op % 100) + "/" + std::to_string(op) +
                                     (i % 2 == 0 ? "/input/x" : "/output/y") + std::to_string(i),
                                 data.view(),
                                 attributes);
        }
        writer.close();
    }
    ~File() { fs::remove(path_); }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    [[nodiscard]] const fs::path& path() const { return path_; }

  private:
    fs::path path_;
};

const File& file_of(int64_t count) {
    static std::unique_ptr<const File> file;
    static int64_t made = 0;
    if (!file || made != count) {
        file.reset();
        file = std::make_unique<const File>(count);
        made = count;
    }
    return *file;
}

void report(benchmark::State& state, int64_t objects) {
    state.counters["objects"] = static_cast<double>(objects);
    state.counters["per_dataset"] = benchmark::Counter(
        static_cast<double>(state.range(0)),
        benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void index_from_mapping(benchmark::State& state) {
    const h5::Reader reader(file_of(state.range(0)).path());
    int64_t objects = 0;
    for ([[maybe_unused]] auto _ : state) {
        const h5::Index index = reader.index();
        objects = static_cast<int64_t>(index.nodes().size());
    }
    report(state, objects);
}

void index_by_library(benchmark::State& state) {
    const h5::Reader reader(file_of(state.range(0)).path());
    int64_t objects = 0;
    for ([[maybe_unused]] auto _ : state) {
        const h5::Index index = reader.index(h5::IndexSource::kLibrary);
        objects = static_cast<int64_t>(index.nodes().size());
    }
    report(state, objects);
}

BENCHMARK(index_from_mapping)->Arg(50000)->Unit(benchmark::kMillisecond);
BENCHMARK(index_by_library)->Arg(50000)->Unit(benchmark::kMillisecond);
BENCHMARK(index_from_mapping)->Arg(1000000)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
