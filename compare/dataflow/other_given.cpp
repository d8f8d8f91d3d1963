#include "compare/dataflow/other_given.h"

#include <algorithm>

#include "compare/dataflow/input_roles.h"

namespace npuscope::compare {

std::string other_given(const PairedFlows& flows, const InputPair& pair) {
    const Content& mine = *flows.target().tensor(pair.target).content;
    if (!mine.tells_bag()) return {};
    for (const TracedTensor& other : flows.golden().flow.tensors) {
        if (!other.given || other.content->numel != mine.numel || other.content->bag != mine.bag)
            continue;
        if (other.given != flows.golden().tensor(pair.golden).given)
            return "it is the golden's " + other.path;
    }
    return {};
}

bool stands_among_own(const PairedFlows& flows, const SeenThrough& through, const InputPair& pair) {
    const Side& target = flows.target();
    return std::ranges::any_of(flows.inputs(), [&](const InputPair& other) {
        const TracedTensor& input = target.tensor(other.target);
        if (other.pair != pair.pair || other.target == pair.target ||
            !is_parameter(target.source.ops[input.op].id.op, input.argument))
            return false;
        const TracedTensor& mine = target.tensor(through.before_casts(target, other.target));
        const TracedTensor& theirs =
            flows.golden().tensor(through.before_casts(flows.golden(), other.golden));
        return mine.content->tells_order() && same_content(*mine.content, *theirs.content);
    });
}

}  // namespace npuscope::compare
