#include "diagnose/kernels/map_device.h"

#include "core/base/error.h"
#include "core/cann_dump/name.h"
#include "core/dumpfile/reader.h"
#include "diagnose/judge/recorded_op.h"
#include "diagnose/kernels/device_kernels.h"
#include "diagnose/kernels/kernel_alignment.h"

namespace npuscope::diagnose {

namespace {

using ir_tbe_map::content_key;

/// The op's kernels on the emulated chip; none where it cannot run.
std::vector<TracedKernel> emulate(const dumpfile::OpEntry& recorded,
                                  const dumpfile::Reader& reader,
                                  const Device& device,
                                  MappedOp& mapped,
                                  ComputeType& compute_type) {
    const backend::Op* op = row_of(recorded.id.op);
    if (op == nullptr) return {};
    mapped.computed_as = op->name();
    Executor executor(device);
    KernelTrace trace;
    executor.attach(trace);
    try {
        static_cast<void>(executor.call_named(
            op->name(), RecordedOp(source_op(reader, recorded), *op).arguments()));
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::kUsage && error.kind() != ErrorKind::kUnsupported) throw;
    }
    executor.detach(trace);
    compute_type = trace.compute_type();
    return trace.take();
}

/// Fills the tensors of both sides.
void read_contents(const dumpfile::OpEntry& recorded,
                   const dumpfile::Reader& reader,
                   OpContents& contents,
                   OpOfDevice& what) {
    for (const dumpfile::Entry& entry : recorded.entries) {
        if (!entry.is_tensor()) continue;
        const Tensor tensor = reader.read(entry);
        const ir_tbe_map::ContentKey key = content_key(tensor);
        if (entry.direction == dumpfile::Direction::kInput) {
            contents.inputs.push_back(key);
            what.inputs.emplace_back(entry.argument, key);
        } else {
            contents.outputs.push_back(key);
            contents.output_values.push_back(tensor);
            what.outputs.emplace_back(entry.argument, key);
        }
    }
}

}  // namespace

Mapping map_device(const MapOptions& options) {
    const dumpfile::Reader reader(options.ops);
    const ir_tbe_map::DeviceDumps dumps = ir_tbe_map::read_device_dumps(options.from);
    Mapping mapping{.source = options.ops.string(),
                    .device = "kernel dumps of a device",
                    .reference = options.reference.description(),
                    .folder = options.from.string()};
    mapping.debug_files = dumps.debug_files;
    mapping.remarks = dumps.remarks;
    size_t next = 0;
    for (const dumpfile::OpEntry& recorded : reader.ops()) {
        if (!is_selected(recorded, options.only)) continue;
        if (options.between_steps) options.between_steps();
        MappedOp op;
        op.path = recorded.id.path();
        OpContents contents;
        contents.name =
            cann_dump::sanitized(recorded.id.op + "_" + std::to_string(recorded.id.seqid));
        OpOfDevice what{.inputs = {},
                        .outputs = {},
                        .emulated = {},
                        .reference = options.reference,
                        .folder = options.from};
        read_contents(recorded, reader, contents, what);
        const KernelAlignment alignment = align_kernels(dumps.kernels, next, contents);
        next = alignment.next;
        op.match = alignment.how;
        const std::vector<TracedKernel> emulated =
            emulate(recorded, reader, options.device, op, what.compute_type);
        what.emulated = emulated;
        std::vector<ir_tbe_map::DeviceKernel> kernels;
        for (const size_t index : alignment.kernels)
            kernels.push_back(dumps.kernels[index]);
        map_device_kernels(kernels, what, op);
        if (kernels.empty()) op.skipped = alignment.how;
        mapping.ops.push_back(std::move(op));
    }
    return mapping;
}

}  // namespace npuscope::diagnose
