#include "dumper/op_facts.h"

#include <nlohmann/json.hpp>

namespace npuscope::dumper {

namespace {

nlohmann::ordered_json strides_of(const NamedValues& values) {
    nlohmann::ordered_json rows;
    for (const NamedValue& item : values) {
        size_t number = 0;
        for_each_tensor({item}, [&](const std::string& path, const Tensor&) {
            if (number < item.strides.size() && !item.strides[number].empty())
                rows["input/" + path] = item.strides[number];
            ++number;
        });
    }
    return rows;
}

}  // namespace

std::string op_facts(const OpEnd& op, const Match* match, bool inputs) {
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
    // Without a kernel nobody read the status: an op of another framework, or one that it helped
    // out with.
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
    if (inputs)
        if (auto rows = strides_of(op.inputs); !rows.is_null()) facts["strides"] = std::move(rows);
    return facts.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace npuscope::dumper
