#include "compare/dataflow/traced.h"

#include <algorithm>
#include <vector>

#include "compare/dataflow/tells_inputs.h"

namespace npuscope::compare {

namespace {

Dataflow untraced(const Source& source) {
    return {.tensors = {}, .first = std::vector<size_t>(source.ops.size() + 1)};
}

}  // namespace

Traced::Traced(const Plan& plan,
               const Source& target_source,
               const Source& golden_source,
               int threads,
               bool reading)
    : target(reading ? trace(target_source, threads) : untraced(target_source)),
      golden(reading ? trace(golden_source, threads) : untraced(golden_source)),
      target_source_(target_source),
      golden_source_(golden_source) {
    pair(plan);
}

void Traced::pair(const Plan& plan) {
    flows.emplace(plan, Side{target_source_, target}, Side{golden_source_, golden});
}

bool Traced::has_inputs() const {
    return tells_inputs(flows->target()) || tells_inputs(flows->golden());
}

}  // namespace npuscope::compare
