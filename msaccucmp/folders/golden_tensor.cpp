#include "msaccucmp/folders/golden_tensor.h"

#include "msaccucmp/base/exit_codes.h"
#include "msaccucmp/base/failure.h"
#include "msaccucmp/folders/format_change.h"

namespace npuscope::msaccucmp {

ProducedBy produced_by(const FusionRule& rule, const FusionOp& op, const TensorIndex& tensor) {
    ProducedBy at{.op = &op, .output = tensor.index};
    const auto follow = [&] {
        const OpOutput producer = at.op->producer_of(at.output);
        at = {.op = &rule.op_named(producer.op), .output = producer.index};
    };
    if (tensor.is_input) follow();
    // The inputs and outputs of these two correspond one to one.
    for (size_t steps = 0; at.op->type == "Cast" || at.op->type == "TransData"; ++steps) {
        if (steps > rule.ops.size())
            throw CompareFailure(kInvalidJsonFile,
                                 "In the rule file '" + at.op->name + "' feeds itself.");
        follow();
    }
    return at;
}

const FolderEntry* find_golden(const FolderPair& folders, const OriginTensor& origin) {
    if (folders.golden.kind() == DumpKind::kOffline) return folders.golden.find(origin.op);
    return folders.golden.find(origin.op, origin.index);
}

GoldenTensor read_golden(const FolderPair& folders, const OriginTensor& origin, Log& log) {
    const FolderEntry* entry = find_golden(folders, origin);
    if (entry == nullptr)
        throw CompareFailure(kNoDumpFile,
                             "There is no golden dump file for output " +
                                 std::to_string(origin.index) + " of '" + origin.op + "'.");
    DumpedOp op = read_entry(*entry, log);
    const bool is_npu = folders.golden.kind() == DumpKind::kOffline;
    const auto at = static_cast<size_t>(is_npu ? origin.index : 0);
    if (origin.index < 0 || at >= op.outputs.size())
        throw CompareFailure(kIndexOutOfBounds,
                             "The golden dump '" + op.path + "' has " +
                                 std::to_string(op.outputs.size()) + " outputs; output " +
                                 std::to_string(at) + " is asked for.");
    GoldenTensor golden{.tensor = std::move(op.outputs[at]),
                        .format = origin.format,
                        .shape = origin.shape,
                        .path = op.path};
    if (is_npu) {
        golden.format = known_format_name(golden.tensor.format);
        golden.shape = golden.tensor.shape;
    }
    return golden;
}

const FolderEntry* find_mine(const FolderPair& folders, const std::string& op) {
    return folders.my.kind() == DumpKind::kQuant ? folders.my.find(op, 0) : folders.my.find(op);
}

}  // namespace npuscope::msaccucmp
