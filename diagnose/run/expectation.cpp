#include "diagnose/run/expectation.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/tensor/difference.h"

namespace npuscope::diagnose {

namespace {

/// Column of the row's largest score; -1 when a score is NaN.
int64_t argmax_row(std::span<const double> scores, int64_t row, int64_t classes) {
    int64_t best = 0;
    for (int64_t c = 0; c < classes; ++c) {
        const double score = scores[static_cast<size_t>(row * classes + c)];
        if (std::isnan(score)) return -1;
        if (score > scores[static_cast<size_t>(row * classes + best)]) best = c;
    }
    return best;
}

OutputDifference difference(const std::string& name, const Tensor& output, const Tensor& expected) {
    OutputDifference found;
    found.name = name;
    if (output.shape() != expected.shape()) {
        found.incomparable =
            "shape " + to_string(output.shape()) + ", expected " + to_string(expected.shape());
        return found;
    }
    const Difference measured = npuscope::difference(output, expected);
    found.max_abs = measured.max_abs;
    found.largest = measured.largest;
    found.relative = measured.relative();
    found.is_float = is_float(output.dtype());
    return found;
}

}  // namespace

std::vector<OutputDifference> compare_outputs(const NamedTensors& outputs,
                                              const NamedTensors& expected) {
    std::vector<OutputDifference> differences;
    for (const auto& [name, tensor] : expected) {
        const auto ours =
            std::find_if(outputs.begin(), outputs.end(), [&, &name = name](const auto& o) {
                return o.first == name;
            });
        if (ours == outputs.end()) {
            differences.push_back({name, 0, 0, 0, "the run has no such output"});
        } else {
            differences.push_back(difference(name, ours->second, tensor));
        }
    }
    return differences;
}

Accuracy top1_accuracy(const Tensor& scores, const Tensor& labels) {
    if (scores.ndim() != 2 || labels.ndim() != 1 || scores.dim(0) != labels.dim(0) ||
        scores.dim(1) == 0)
        throw Error(ErrorKind::kUsage,
                    "labels of shape " + to_string(labels.shape()) +
                        " do not fit scores of shape " + to_string(scores.shape()) +
                        "; wanted [samples] and [samples, classes]");
    const Tensor wide = scores.cast(DType::kFloat64);
    const Tensor classes = labels.cast(DType::kInt64);
    Accuracy found;
    found.samples = scores.dim(0);
    for (int64_t row = 0; row < found.samples; ++row)
        found.hits += argmax_row(wide.as<double>(), row, scores.dim(1)) ==
                      classes.as<int64_t>()[static_cast<size_t>(row)];
    return found;
}

std::optional<int64_t> changed_predictions(const Tensor& scores, const Tensor& golden) {
    if (scores.ndim() != 2 || scores.shape() != golden.shape() || scores.dim(1) < 2)
        return std::nullopt;
    const Tensor ours = scores.cast(DType::kFloat64);
    const Tensor theirs = golden.cast(DType::kFloat64);
    int64_t changed = 0;
    for (int64_t row = 0; row < scores.dim(0); ++row)
        changed += argmax_row(ours.as<double>(), row, scores.dim(1)) !=
                   argmax_row(theirs.as<double>(), row, scores.dim(1));
    return changed;
}

}  // namespace npuscope::diagnose
