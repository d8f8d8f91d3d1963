#include "compare/judge_as_sum.h"

#include "compare/rules/rule.h"

namespace npuscope::compare {

void judge_as_sum(TensorResult& measured, DType dtype, const std::function<double()>& magnitudes) {
    Bound bound = measured.judgement.bound;
    if (measured.judgement.verdict != Verdict::kFail || bound.exact) return;
    bound.scale = magnitudes();
    if (bound.scale > 0) measured.judgement = judge({measured.sums, bound, dtype});
}

}  // namespace npuscope::compare
