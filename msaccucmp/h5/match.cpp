#include "msaccucmp/h5/match.h"

#include <array>

#include "core/dumpfile/layout.h"

namespace npuscope::msaccucmp {

namespace {

using dumpfile::kDeviceCpu;
using dumpfile::kDeviceCuda;
using dumpfile::kDeviceNpu;

/// Ops that stand for one another; several rows of one name are tried in order.
struct OpRow {
    std::string_view from;
    std::string_view to;
};
constexpr auto kOpRows = std::to_array<OpRow>({
    {"CudnnBatchNormBackward", "NativeBatchNormBackward"},
    {"NativeBatchNormBackward", "CudnnBatchNormBackward"},
    {"CudnnConvolutionBackward", "NpuConvolutionBackward"},
    {"ThnnConvDepthwise2DBackward", "NpuConvolutionBackward"},
    {"NpuConvolutionBackward", "CudnnConvolutionBackward"},
    {"NpuConvolutionBackward", "ThnnConvDepthwise2DBackward"},
});

/// An argument's name on the other side, by the op that it comes from.
struct ArgumentRow {
    std::string_view op;
    std::string_view from;
    std::string_view to;
};
constexpr auto kArgumentRows = std::to_array<ArgumentRow>({
    {"CudnnBatchNormBackward", "epsilon", "eps"},
    {"NativeBatchNormBackward", "eps", "epsilon"},
    {"CudnnConvolutionBackward", "self", "input"},
    {"ThnnConvDepthwise2DBackward", "self", "input"},
    {"NpuConvolutionBackward", "input", "self"},
});

/// What follows "/op/seqid" of a path, from the slash on.
std::string_view below_run(std::string_view path) {
    size_t at = path.find('/', 1);
    at = path.find('/', at + 1);
    return path.substr(at);
}

std::string with_prefix(const std::string& name, size_t old_length, std::string_view prefix) {
    return std::string(prefix) + name.substr(old_length);
}

}  // namespace

RunName Matcher::mapped(const RunName& name, std::optional<int64_t> device) const {
    const DumpIndex& side = device == kDeviceNpu ? my_ : golden_;
    for (const OpRow& row : kOpRows) {
        if (row.from != name.op) continue;
        RunName other{std::string(row.to), name.k};
        if (side.find(other) != nullptr) return other;
    }
    if (name.op.starts_with("Npu")) {
        if (device == kDeviceCpu) return {with_prefix(name.op, 3, "Thnn"), name.k};
        if (device == kDeviceCuda) return {with_prefix(name.op, 3, "Cudnn"), name.k};
    }
    if (name.op.starts_with("Thnn")) return {with_prefix(name.op, 4, "Npu"), name.k};
    if (name.op.starts_with("Cudnn")) return {with_prefix(name.op, 5, "Npu"), name.k};
    return name;
}

const Dataset* Matcher::partner(const RunName& source,
                                int64_t source_order,
                                const std::string& source_path,
                                const DumpIndex& target,
                                const RunName& target_name) const {
    const int64_t order = load_mode() ? source_order : target.order_of(target_name);
    const std::string rest(below_run(source_path));
    const std::string path = "/" + target_name.op + "/" + std::to_string(order) + rest;
    if (const Dataset* found = target.find_dataset(target_name, order, path)) return found;
    const size_t slash = path.rfind('/');
    for (const ArgumentRow& row : kArgumentRows)
        if (row.op == source.op && path.compare(slash + 1, std::string::npos, row.from) == 0)
            return target.find_dataset(
                target_name, order, path.substr(0, slash + 1) + std::string(row.to));
    return nullptr;
}

const Dataset* Matcher::golden_of(const Run& my_run, const Dataset& dataset) const {
    RunName name = my_run.name;
    if (golden_.find(name) == nullptr) {
        name = mapped(name, golden_.device_type());
        if (golden_.find(name) == nullptr) return nullptr;
    }
    return partner(my_run.name, my_run.order, dataset.path, golden_, name);
}

void Matcher::add_unmatched(const Run& run, std::vector<Unmatched>& all) const {
    const RunName mine = my_.find(run.name) != nullptr ? run.name : mapped(run.name, kDeviceNpu);
    const bool known = load_mode() || my_.find(mine) != nullptr;
    std::vector<Unmatched> missing;
    for (const Dataset& dataset : run.datasets) {
        if (!known) {
            missing.push_back({my_.order_after_last(), "NaN", dataset.path});
        } else if (partner(run.name, run.order, dataset.path, my_, mine) == nullptr) {
            missing.push_back({my_.order_of(mine), mine.op, dataset.path});
        }
    }
    if (missing.size() < run.datasets.size()) {
        all.insert(all.end(), missing.begin(), missing.end());
    } else {
        all.push_back(
            {my_.order_after_last(), "NaN", "/" + run.name.op + "/" + std::to_string(run.order)});
    }
}

std::vector<Unmatched> Matcher::unmatched_golden() const {
    std::vector<Unmatched> all;
    for (const Run& run : golden_.runs())
        if (!run.datasets.empty()) add_unmatched(run, all);
    return all;
}

}  // namespace npuscope::msaccucmp
