#include "compare/files.h"

#include <set>

#include "compare/count.h"
#include "compare/sources/compare_sources.h"
#include "custom_algorithms/runner.h"

namespace npuscope::compare {

namespace {

bool is_dump(const std::filesystem::path& path) {
    const std::string extension = path.extension().string();
    return extension == ".h5" || extension == ".hdf5";
}

OpResult one_sided_array(const std::string& name, bool is_target, int64_t index) {
    OpResult op;
    (is_target ? op.target : op.golden) = name;
    op.id = {name, index};
    op.judgement = is_target
                       ? Judgement{Verdict::kMissingGolden, "only the target has this array"}
                       : Judgement{Verdict::kMissingTarget, "only the golden side has this array"};
    return op;
}

}  // namespace

Result compare_arrays(const NamedTensors& target,
                      const NamedTensors& golden,
                      const Bounds& bounds,
                      const Options& options,
                      const ComputeTypes& compute_types) {
    Result result;
    if (options.custom != nullptr) result.custom_names = options.custom->names();
    const bool single = target.size() == 1 && golden.size() == 1;
    std::set<std::string> taken;
    int64_t index = 0;
    for (const auto& [name, tensor] : target) {
        const std::pair<std::string, Tensor>* partner = nullptr;
        for (const auto& other : golden)
            if (single || (other.first == name && !taken.contains(name))) partner = &other;
        if (partner == nullptr) {
            result.ops.push_back(one_sided_array(name, true, index++));
            continue;
        }
        taken.insert(partner->first);
        OpResult op;
        op.target = name;
        op.golden = partner->first;
        op.match = name == partner->first ? "name" : "single array";
        op.id = {name, index++};
        const auto computed = compute_types.find(name);
        const Bound bound =
            bounds.bound({.target = op.target,
                          .golden = op.golden,
                          .dtype = tensor.dtype(),
                          .compute_type = computed == compute_types.end() ? ComputeType::kNone
                                                                          : computed->second});
        TensorResult measured = compare_tensors(tensor, partner->second, bound, options);
        measured.argument = name;
        measured.target = op.target;
        measured.golden = op.golden;
        run_custom(options, tensor, partner->second, measured);
        op.judgement = measured.judgement;
        op.tensors.push_back(std::move(measured));
        result.ops.push_back(std::move(op));
        if (options.on_op)
            options.on_op(index, static_cast<int64_t>(target.size()), result.ops.back().target);
    }
    for (const auto& [name, tensor] : golden)
        if (!taken.contains(name)) result.ops.push_back(one_sided_array(name, false, index++));
    count(result);
    return result;
}

Result compare_files(const std::filesystem::path& target,
                     const std::filesystem::path& golden,
                     const Bounds& bounds,
                     const Options& options) {
    if (is_dump(target) && is_dump(golden)) {
        const dumpfile::Reader target_dump(target);
        const dumpfile::Reader golden_dump(golden);
        Result result = compare_dumps(target_dump, golden_dump, bounds, options);
        for (const dumpfile::Reader* dump : {&target_dump, &golden_dump})
            if (!dump->complete()) result.notes.push_back(dump->incompleteness());
        return result;
    }
    if (is_array_file(target) && is_array_file(golden))
        return compare_arrays(read_array_source(target),
                              read_array_source(golden),
                              bounds,
                              options,
                              read_compute_types(target));
    return compare_sources(open_source(target), open_source(golden), bounds, options);
}

}  // namespace npuscope::compare
