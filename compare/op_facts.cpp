#include "compare/op_facts.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "core/naming/api_names.h"

namespace npuscope::compare {

void take_facts(const SideFacts& target, const SideFacts& golden, OpResult& op) {
    const auto first = [](const std::string& mine, const std::string& theirs) {
        return mine.empty() ? theirs : mine;
    };
    op.node = first(target.recorded.source.node, golden.recorded.source.node);
    op.module = first(target.recorded.source.module, golden.recorded.source.module);
    op.line = first(target.recorded.source.line, golden.recorded.source.line);
    op.arguments = differing_arguments(target.arguments, golden.arguments);
    if (parse_api_record(op.id.op))
        op.one_sided_arguments = one_sided_arguments(target.arguments, golden.arguments);
    op.has_statuses = target.recorded.status && golden.recorded.status;
    op.overflowed = target.recorded.overflow && !golden.recorded.overflow;
}

Shape first_shape(const SourceOp& op) {
    for (const SourceTensor& tensor : op.load())
        if (tensor.direction == dumpfile::Direction::kOutput) return tensor.shape;
    return {};
}

bool are_one_axis(const OpPair& pair, const std::vector<ArgumentDifference>& arguments) {
    const auto from_the_back = [](const std::string& text, const SourceOp& op) {
        int axis = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), axis);
        if (error != std::errc() || end != text.data() + text.size()) return 0;
        return axis < 0 ? axis : axis - static_cast<int>(first_shape(op).size());
    };
    return std::ranges::all_of(arguments, [&](const ArgumentDifference& each) {
        const int axis = from_the_back(each.target, *pair.target);
        return each.name == "dim" && axis < 0 && axis == from_the_back(each.golden, *pair.golden);
    });
}

}  // namespace npuscope::compare
