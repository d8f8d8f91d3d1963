#include "diagnose/judge/judge_result.h"

#include "compare/judge_as_sum.h"

namespace npuscope::diagnose {

namespace {

compare::Judgement incomparable(const std::string& why) {
    return {compare::Verdict::kIncomparable, why};
}

}  // namespace

compare::TensorResult judge_result(const Tensor* computed,
                                   const Tensor& recorded,
                                   const ResultName& name,
                                   ComputeType compute_type,
                                   const std::function<double()>& magnitudes,
                                   const compare::Bounds& bounds) {
    compare::TensorResult result;
    if (computed == nullptr) {
        result.judgement = incomparable("the op gives no such result");
    } else if (computed->shape() != recorded.shape()) {
        result.judgement = incomparable(to_string(computed->shape()) + " computed, " +
                                        to_string(recorded.shape()) + " recorded");
    } else {
        const std::string& asked = name.path.empty() ? name.name : name.path;
        const auto bound_of = [&](ComputeType precision) {
            return bounds.bound({.target = asked,
                                 .golden = asked,
                                 .dtype = computed->dtype(),
                                 .compute_type = precision});
        };
        // A result is no better than the dtype that it is rounded to.
        compare::Bound bound = bound_of(compute_type);
        if (compare::Bound stored = bound_of(ComputeType::kNone);
            stored.tolerance > bound.tolerance)
            bound = std::move(stored);
        compare::Options options;
        options.divergence = false;
        result = compare::compare_tensors(*computed, recorded, bound, options);
        if (magnitudes) compare::judge_as_sum(result, computed->dtype(), magnitudes);
    }
    result.argument = name.name;
    return result;
}

std::string_view word_of(const compare::Judgement& judgement) {
    if (judgement.verdict == compare::Verdict::kIncomparable) return "incomparable";
    return compare::is_finding(judgement.verdict) ? "fail" : "pass";
}

const std::string& held_to(const compare::Judgement& judgement) {
    return judgement.verdict == compare::Verdict::kIncomparable ? judgement.rule
                                                                : judgement.bound.source;
}

}  // namespace npuscope::diagnose
