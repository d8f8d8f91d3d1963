#include "core/dumpfile/unmatched.h"

#include <nlohmann/json.hpp>

#include "core/base/json_value.h"
#include "core/base/parse_json.h"

namespace npuscope::dumpfile {

namespace {

constexpr size_t kLongest = 50000;  // an attribute holds at most 64 KB

std::string row_of(const UnmatchedOp& op) {
    nlohmann::ordered_json row = {{"op", op.id.op}, {"seqid", op.id.seqid}};
    const auto add = [&](const char* key, const std::string& text) {
        if (!text.empty()) row[key] = text;
    };
    add("after", op.after);
    add("why", op.why);
    add("argument", op.argument);
    add("node", op.source.node);
    add("module", op.source.module);
    add("line", op.source.line);
    add("autograd", op.source.autograd);
    return json_text(row, -1);
}

}  // namespace

std::string to_json(const std::vector<UnmatchedOp>& ops) {
    std::string text = "[";
    for (const UnmatchedOp& op : ops) {
        const std::string row = row_of(op);
        if (text.size() + row.size() + 2 > kLongest) break;
        text += (text.size() > 1 ? "," : "") + row;
    }
    return text + "]";
}

std::vector<UnmatchedOp> parse_unmatched(const std::string& json) {
    std::vector<UnmatchedOp> ops;
    const auto rows = parse_json<nlohmann::json>(json);
    if (!rows.is_array()) return ops;
    for (const auto& row : rows) {
        if (!row.is_object()) continue;
        const auto text = [&](const char* key) { return text_at(row, key); };
        const auto seqid = row.find("seqid");
        if (text("op").empty() || seqid == row.end() || !seqid->is_number_integer()) continue;
        UnmatchedOp op{.id = {text("op"), seqid->get<int64_t>()},
                       .after = text("after"),
                       .why = text("why"),
                       .argument = text("argument"),
                       .source = {}};
        op.source.node = text("node");
        op.source.module = text("module");
        op.source.line = text("line");
        op.source.autograd = text("autograd");
        ops.push_back(std::move(op));
    }
    return ops;
}

}  // namespace npuscope::dumpfile
