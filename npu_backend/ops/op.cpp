#include "npu_backend/ops/op.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace npuscope::backend {

namespace {

std::vector<Op> collect_ops() {
    std::vector<Op> ops;
    for (const std::span<const OpRow> family : {
#define OPS(family) family##_ops(),
#include "npu_backend/ops/ops.def"
#undef OPS
         })
        for (const OpRow& row : family)
            ops.push_back({Schema::parse(row.schema), &row});
    std::unordered_map<std::string_view, const OpRow*> rows;
    for (const Op& op : ops)
        rows.emplace(op.name(), op.row);
    for (Op& op : ops)
        for (const OpRow* row = op.row; row != nullptr;
             row = row->as.empty() ? nullptr : rows.at(row->as)) {
            for (const std::string_view kernel : row->launches)
                if (!kernel.empty() && std::ranges::count(op.launches, kernel) == 0)
                    op.launches.push_back(kernel);
            if (op.note.empty()) op.note = row->note;
            if (op.argument.empty()) op.argument = row->argument;
        }
    return ops;
}

size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<size_t> row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j)
        row[j] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
        }
    }
    return row[b.size()];
}

}  // namespace

std::string Op::launches_text() const {
    if (!note.empty()) return std::string(note);
    std::string text;
    for (const std::string_view kernel : launches)
        text += (text.empty() ? "" : ", ") + std::string(kernel);
    return text.empty() ? "none" : text;
}

std::span<const Op> all_ops() {
    static const std::vector<Op> ops = collect_ops();
    return ops;
}

const Op* find_op(std::string_view name) {
    static const auto index = [] {
        std::unordered_map<std::string_view, const Op*> by_name;
        for (const Op& op : all_ops())
            by_name.emplace(op.name(), &op);
        return by_name;
    }();
    const auto found = index.find(name);
    return found == index.end() ? nullptr : found->second;
}

const std::string& nearest_op_name(std::string_view name) {
    const auto ops = all_ops();
    return std::min_element(ops.begin(),
                            ops.end(),
                            [&](const Op& a, const Op& b) {
                                return edit_distance(name, a.name()) <
                                       edit_distance(name, b.name());
                            })
        ->name();
}

}  // namespace npuscope::backend
