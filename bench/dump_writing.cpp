// Writing dumps: our append-only writer, crash-safe, beside the HDF5 library and plain write(), in
// turn in one run; medians of seven. Goals: 50 000 datasets of 4 KB with five attributes in at most
// 0.3 times the library's time; large tensors at 0.95 of plain write()'s rate or better.
//
//   bench_dump_writing [FOLDER]      files go below FOLDER, by default the current one
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <string>
#include <unistd.h>
#include <vector>

#include "core/dumpfile/writer.h"
#include "core/h5/append_writer.h"
#include "core/h5/h5.h"

namespace {

namespace fs = std::filesystem;
namespace h5 = npuscope::h5;
namespace dumpfile = npuscope::dumpfile;
using npuscope::DType;
using npuscope::Tensor;

constexpr int kRounds = 7;
constexpr int64_t kSmallCount = 50000;
constexpr int64_t kDatasetsOfAnOp = 10;
constexpr int64_t kLargeElements = int64_t{8} << 20;  // 32 MB
constexpr int64_t kLargeCount = 24;

struct Contestant {
    std::string name;
    std::function<void(const fs::path&)> write;
    std::vector<double> seconds = {};
    double file_bytes = 0;
};

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

void run(const std::string& title,
         const fs::path& folder,
         double payload,
         std::vector<Contestant> all) {
    for (int round = 0; round < kRounds; ++round)
        for (size_t turn = 0; turn < all.size(); ++turn) {
            // Each comes once behind each other: what one leaves to the disk slows the next down.
            Contestant& one = all[(turn + static_cast<size_t>(round)) % all.size()];
            const fs::path path = folder / "bench_dump_writing.h5";
            const auto start = std::chrono::steady_clock::now();
            one.write(path);
            const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
            one.seconds.push_back(taken.count());
            one.file_bytes = static_cast<double>(fs::file_size(path));
            fs::remove(path);  // a new inode each time: writing over an old file is slower
        }
    std::printf("%s\n", title.c_str());
    const double first = median(all.front().seconds);
    for (const Contestant& one : all) {
        std::vector<double> ratios;
        for (size_t i = 0; i < one.seconds.size(); ++i)
            ratios.push_back(one.seconds[i] / all.front().seconds[i]);
        std::printf(
            "  %-44s %8.4f s  %6.2f GB/s  time / first %.3f (paired %.3f)  file / data %.4f\n",
            one.name.c_str(),
            median(one.seconds),
            payload / median(one.seconds) / 1e9,
            median(one.seconds) / first,
            median(ratios),
            one.file_bytes / payload);
    }
}

std::vector<h5::Attribute> five_attributes(const Tensor& tensor) {
    return {{"DeviceType", int32_t{10}},
            {"DataType", int32_t{1}},
            {"FormatType", int32_t{0}},
            {"Type", int32_t{0}},
            {"Stride", npuscope::contiguous_strides(tensor.shape())}};
}

std::string group_of(int64_t op) {
    return "/op" + std::to_string(op % 20) + "/" + std::to_string(op);
}

std::string path_of(int64_t number) {
    return group_of(number / kDatasetsOfAnOp) + (number % 2 == 0 ? "/input/x" : "/output/y") +
           std::to_string(number % kDatasetsOfAnOp);
}

/// Different elements for each number, at the cost of one store.
const Tensor& numbered(Tensor& tensor, int64_t number) {
    std::memcpy(tensor.mutable_data(), &number, sizeof number);
    return tensor;
}

void by_library(const fs::path& path, Tensor& tensor, int64_t count) {
    h5::Writer writer(path);
    for (int64_t i = 0; i < count; ++i)
        writer.write_dataset(path_of(i), numbered(tensor, i).view(), five_attributes(tensor));
    writer.close();
}

/// A commit each half second, as a dump does, or after each op.
void by_appending(const fs::path& path, Tensor& tensor, int64_t count, bool commit_each_op) {
    h5::AppendWriter writer(path);
    auto committed = std::chrono::steady_clock::now();
    for (int64_t i = 0; i < count; ++i) {
        writer.write_dataset(path_of(i), numbered(tensor, i).view(), five_attributes(tensor));
        if ((i + 1) % kDatasetsOfAnOp != 0 && i + 1 != count) continue;
        writer.finish_group(group_of(i / kDatasetsOfAnOp));
        const auto now = std::chrono::steady_clock::now();
        if (!commit_each_op && now - committed < std::chrono::milliseconds(500)) continue;
        writer.commit();
        committed = now;
    }
    writer.close();
}

/// The whole of a dump: names, codes, equal tensors found by their hash.
void by_dump_writer(const fs::path& path, Tensor& tensor, int64_t count) {
    dumpfile::Writer writer(path, {});
    for (int64_t op = 0; op * kDatasetsOfAnOp < count; ++op) {
        dumpfile::OpRecord record;
        record.id.op = "op" + std::to_string(op % 20);
        record.id.seqid = op + 1;
        for (int64_t i = 0; i < std::min(kDatasetsOfAnOp, count); ++i)
            record.outputs.push_back(
                {"y" + std::to_string(i),
                 Tensor::copy_of(numbered(tensor, op * kDatasetsOfAnOp + i).view())});
        writer.write(record);
    }
    writer.close();
}

/// One tensor an op, which nobody else holds.
void large_by_dump_writer(const fs::path& path, Tensor& tensor, int64_t count) {
    dumpfile::Writer writer(path, {});
    for (int64_t i = 0; i < count; ++i) {
        numbered(tensor, i);
        dumpfile::OpRecord record;
        record.id.op = "mm";
        record.id.seqid = i + 1;
        record.outputs.push_back({"result", std::move(tensor)});
        writer.write(record);
        tensor = std::move(std::get<Tensor>(record.outputs.back().value));
    }
    writer.close();
}

void by_write(const fs::path& path, Tensor& tensor, int64_t count) {
    const int descriptor = ::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY, 0644);
    for (int64_t i = 0; i < count; ++i) {
        const std::byte* data = numbered(tensor, i).data();
        for (size_t done = 0; done < tensor.nbytes();) {
            const ssize_t taken = ::write(descriptor, data + done, tensor.nbytes() - done);
            if (taken <= 0) std::abort();
            done += static_cast<size_t>(taken);
        }
    }
    ::close(descriptor);
}

Tensor random_like(int64_t elements) {
    Tensor tensor(DType::kFloat32, {elements});
    uint32_t state = 12345;
    for (float& value : tensor.mutable_as<float>()) {
        state = state * 1664525 + 1013904223;
        value = static_cast<float>(state) * 0x1p-32F - 0.5F;
    }
    return tensor;
}

}  // namespace

int main(int count, char** arguments) {
    const fs::path folder = count > 1 ? arguments[1] : ".";
    Tensor small = random_like(1024);
    Tensor large = random_like(kLargeElements);
    const auto of_small = [&](auto write) {
        return [&, write](const fs::path& path) { write(path, small, kSmallCount); };
    };
    const auto of_large = [&](auto write) {
        return [&, write](const fs::path& path) { write(path, large, kLargeCount); };
    };
    const auto rarely = [](const fs::path& path, Tensor& tensor, int64_t n) {
        by_appending(path, tensor, n, false);
    };
    const auto each_op = [](const fs::path& path, Tensor& tensor, int64_t n) {
        by_appending(path, tensor, n, true);
    };
    run("50 000 datasets of 4 KB, five attributes, ten an op",
        folder,
        static_cast<double>(kSmallCount) * 4096,
        {{"libhdf5, not crash-safe", of_small(by_library)},
         {"append-only, a commit each 0.5 s", of_small(rarely)},
         {"append-only, a commit each op", of_small(each_op)},
         {"dump writer (copies, hashes, links)", of_small(by_dump_writer)},
         {"plain write() of the elements", of_small(by_write)}});
    run("24 tensors of 32 MB",
        folder,
        static_cast<double>(kLargeCount * kLargeElements) * 4,
        {{"plain write()", of_large(by_write)},
         {"append-only, a commit each op", of_large(each_op)},
         {"dump writer (hashes, links)", of_large(large_by_dump_writer)},
         {"libhdf5, not crash-safe", of_large(by_library)}});
    return 0;
}
