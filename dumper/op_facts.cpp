#include "dumper/op_facts.h"

#include <nlohmann/json.hpp>

namespace npuscope::dumper {

std::string op_facts(const OpEnd& op, const Match* match) {
    nlohmann::ordered_json facts;
    const auto add = [&](const char* key, const std::string& text) {
        if (!text.empty()) facts[key] = text;
    };
    add("node", op.source.node);
    add("module", op.source.module);
    add("line", op.source.line);
    add("autograd", op.source.autograd);
    add("fallback", op.source.fallback);
    if (op.source.thread > 0) facts["thread"] = op.source.thread;
    if (op.source.step >= 0) facts["step"] = op.source.step;
    // Without a kernel nobody read the status: an op of another framework, or one that it helped out
    // with.
    if (!op.kernels.empty() || op.status.bits != 0) {
        facts["kernels"] = nlohmann::ordered_json::array();
        for (const std::string& kernel : op.kernels)
            facts["kernels"].push_back(kernel);
        facts["status"] = {{"bits", op.status.bits}, {"overflow", op.status.overflow()}};
    }
    if (match != nullptr) {
        facts["golden"] = dumpfile::op_path(match->golden.op, match->golden.seqid);
        if (match->by_alias) facts["alias"] = true;
    }
    return facts.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace npuscope::dumper
