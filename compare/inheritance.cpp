#include "compare/inheritance.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "compare/rules/rule.h"

namespace npuscope::compare {

namespace {

const TensorResult* worst_tensor(const OpResult& op, dumpfile::Direction direction) {
    const TensorResult* worst = nullptr;
    for (const TensorResult& tensor : op.tensors)
        if (tensor.direction == direction && !tensor.metrics.empty() &&
            (worst == nullptr || relative_error(tensor) > relative_error(*worst)))
            worst = &tensor;
    return worst;
}

/// Judges the failing tensors of one direction again, now that something explains errors up to
/// `inherited.limit`; whether any is left failing.
bool judge_again(OpResult& op, dumpfile::Direction direction, const Inheritance& inherited) {
    bool still_fails = false;
    for (TensorResult& tensor : op.tensors) {
        if (tensor.direction != direction || tensor.judgement.verdict != Verdict::kFail) continue;
        if (!tensor.metrics.empty())
            tensor.judgement =
                judge({.sums = tensor.sums,
                       .bound = tensor.judgement.bound,
                       .dtype = dtype_from_name(tensor.dtype).value_or(DType::kFloat32),
                       .inherited = inherited});
        still_fails = still_fails || tensor.judgement.verdict == Verdict::kFail;
    }
    return still_fails;
}

}  // namespace

void mark_inherited(std::vector<OpResult>& ops) {
    double earlier = 0;  // the worst finite error of an output so far
    for (OpResult& op : ops) {
        const TensorResult* input = worst_tensor(op, dumpfile::Direction::kInput);
        const TensorResult* output = worst_tensor(op, dumpfile::Direction::kOutput);
        if (input != nullptr && output != nullptr) {
            const double came_in = relative_error(*input);
            const bool explained = came_in > 0 && came_in <= kMostAccumulation * earlier;
            if (explained && std::isfinite(came_in)) {
                const std::string from =
                    fmt::format("came in through {} ({:.2g})", input->argument, came_in);
                const bool inputs_fail =
                    judge_again(op,
                                dumpfile::Direction::kInput,
                                {kMostAccumulation * earlier, "as earlier ops left it"});
                if (!inputs_fail)
                    judge_again(
                        op, dumpfile::Direction::kOutput, {kMostAmplification * came_in, from});
                conclude(op);
            }
        }
        if (output != nullptr && std::isfinite(relative_error(*output)))
            earlier = std::max(earlier, relative_error(*output));
    }
}

}  // namespace npuscope::compare
