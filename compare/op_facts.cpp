#include "compare/op_facts.h"

namespace npuscope::compare {

void take_facts(const SideFacts& target, const SideFacts& golden, OpResult& op) {
    const auto first = [](const std::string& mine, const std::string& theirs) {
        return mine.empty() ? theirs : mine;
    };
    op.node = first(target.recorded.node, golden.recorded.node);
    op.module = first(target.recorded.module, golden.recorded.module);
    op.line = first(target.recorded.line, golden.recorded.line);
    op.arguments = differing_arguments(target.arguments, golden.arguments);
    op.overflowed = target.recorded.overflow && !golden.recorded.overflow;
}

}  // namespace npuscope::compare
