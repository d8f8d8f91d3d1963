#include "diagnose/check/culprit_kernels.h"

#include <algorithm>

#include "core/dumpfile/reader.h"
#include "diagnose/kernels/map.h"

namespace npuscope::diagnose {

namespace {

constexpr size_t kMostCulprits = 10;

bool has_inputs(const dumpfile::Reader& dump, const OpFinding& op) {
    const dumpfile::OpEntry* entry = dump.find(op.id);
    return entry != nullptr && entry->has_inputs();
}

}  // namespace

void trace_culprits(const CulpritKernelOptions& options, CheckReport& report) {
    const dumpfile::Reader golden(report.golden_dump);
    const dumpfile::Reader free_run(report.free_dump);
    size_t traced = 0;
    for (size_t i = 0; i < report.ops.size() && traced < kMostCulprits; ++i) {
        OpFinding& op = report.ops[i];
        if (!op.fails() && op.overflow != OverflowRole::kIntroduced) continue;
        const bool alone = op.fails() && has_inputs(golden, op);
        if (!alone && !has_inputs(free_run, op)) continue;
        ++traced;
        MapOptions map;
        map.ops = alone ? report.golden_dump : report.free_dump;
        map.device = options.device;
        map.reference = options.reference;
        map.only = {op.id.path()};
        map.between_steps = options.between_steps;
        if (report.first_culprit == i) map.output = options.output;
        Mapping mapping = map_ops(map);
        op.kernel_rows = std::move(mapping.ops.front().kernels);
        op.first_kernel = mapping.ops.front().first_culprit;
        op.kernel_folder = mapping.folder;
    }
}

}  // namespace npuscope::diagnose
