#include "compare/op_facts.h"

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

}  // namespace npuscope::compare
