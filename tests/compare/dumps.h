// Small dump files for the tests of whole comparisons.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/dumpfile/writer.h"

namespace npuscope::compare {

inline Tensor vector_of(const std::vector<float>& values) {
    return Tensor::from<float>({static_cast<int64_t>(values.size())},
                               std::span<const float>(values));
}

struct DumpedOp {
    std::string name;
    int64_t seqid = 0;
    NamedValues inputs;
    NamedValues outputs;
    ComputeType compute_type = ComputeType::kNone;
    std::string node;
    std::string facts{};  ///< the whole JSON text, in place of `node`
};

inline void write_dump(const std::filesystem::path& path,
                       const std::vector<DumpedOp>& ops,
                       int device = dumpfile::kDeviceNpu) {
    dumpfile::Writer writer(path, {.device_code = device, .run_facts = {}});
    for (const DumpedOp& op : ops) {
        dumpfile::OpRecord record;
        record.id = {op.name, op.seqid};
        record.inputs = op.inputs;
        record.outputs = op.outputs;
        record.compute_type = op.compute_type;
        if (!op.facts.empty()) record.facts = dumpfile::parse_facts(op.facts);
        if (!op.node.empty()) record.facts.source.node = op.node;
        writer.write(record);
    }
    writer.close();
}

/// An op with one input `self` and one output `out`.
inline DumpedOp unary(const std::string& name,
                      int64_t seqid,
                      const std::vector<float>& in,
                      const std::vector<float>& out) {
    return {.name = name,
            .seqid = seqid,
            .inputs = {{"self", vector_of(in)}},
            .outputs = {{"out", vector_of(out)}},
            .node = {}};
}

}  // namespace npuscope::compare
