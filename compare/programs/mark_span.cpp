#include "compare/programs/mark_span.h"

#include <string>
#include <utility>

namespace npuscope::compare {

void mark_span(const Parting& parting,
               double entry,
               std::optional<double> exit,
               const std::unordered_map<const SourceOp*, size_t>& places,
               Result& result) {
    SpanResult span{.text = to_text(parting),
                    .only_target = paths_of(parting.only_target),
                    .only_golden = paths_of(parting.only_golden),
                    .entry = entry,
                    .exit = exit};
    // "the programs part here: target has gelu where …"
    const size_t colon = span.text.find(": ");
    if (colon != std::string::npos) span.text = span.text.substr(colon + 2);
    for (const auto* list : {&parting.only_target, &parting.only_golden})
        for (const SourceOp* op : *list) {
            OpResult& marked = result.ops[places.at(op)];
            marked.in_span = true;
            conclude(marked, result.allow_golden_at_fault);
        }
    result.spans.push_back(std::move(span));
}

}  // namespace npuscope::compare
