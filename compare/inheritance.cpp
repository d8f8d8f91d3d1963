#include "compare/inheritance.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

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

/// Marks the failing tensors of one direction whose error is at most `limit`; whether any is left
/// failing.
bool mark(OpResult& op, dumpfile::Direction direction, double limit, const std::string& why) {
    bool still_fails = false;
    for (TensorResult& tensor : op.tensors) {
        if (tensor.direction != direction || tensor.judgement.verdict != Verdict::kFail) continue;
        const double error = relative_error(tensor);
        if (error <= limit) {
            tensor.judgement = {Verdict::kInherited,
                                fmt::format("off by {:.2g} max|g|, {}", error, why)};
        } else {
            still_fails = true;
        }
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
                const std::string from = input->argument;
                const bool inputs_fail = mark(op,
                                              dumpfile::Direction::kInput,
                                              kMostAccumulation * earlier,
                                              "as earlier ops left it");
                if (!inputs_fail)
                    mark(op,
                         dumpfile::Direction::kOutput,
                         kMostAmplification * came_in,
                         fmt::format("came in through {} ({:.2g})", from, came_in));
                conclude(op);
            }
        }
        if (output != nullptr && std::isfinite(relative_error(*output)))
            earlier = std::max(earlier, relative_error(*output));
    }
}

}  // namespace npuscope::compare
