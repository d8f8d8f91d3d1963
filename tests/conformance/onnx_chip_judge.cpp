#include "tests/conformance/onnx_chip_judge.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "npu_backend/executor.h"

namespace npuscope::test {

namespace {

constexpr double kSuiteRelative = 1e-3;
constexpr double kSuiteAbsolute = 1e-7;

/// The chips' Gelu has its tanh form whatever was asked: at |x| = 2.7 it is off by 4.73e-4.
constexpr double kGeluForms = 5e-4;

/// Of the largest golden value. Source: docs/verdicts.md, the first rule of judgement.
double tolerance_of(ComputeType type) {
    switch (type) {
        case ComputeType::kFloat64:
            return 1e-12;
        case ComputeType::kFloat32:
            return 1e-5;
        case ComputeType::kHFloat32:
            return 2e-3;
        case ComputeType::kFloat16:
            return 4e-3;
        case ComputeType::kBFloat16:
            return 3e-2;
        case ComputeType::kNone:
            break;
    }
    return 0;
}

/// The coarsest precision that an executor computes in.
class PrecisionWatch : public Observer {
  public:
    explicit PrecisionWatch(EventSource& source) : source_(source) { source.attach(*this); }
    ~PrecisionWatch() override { source_.detach(*this); }
    PrecisionWatch(const PrecisionWatch&) = delete;
    PrecisionWatch& operator=(const PrecisionWatch&) = delete;

    void op_end(const OpEnd& op) override {
        if (!op.recorded) return;
        tolerance = std::max(tolerance, tolerance_of(op.compute_type));
        if (op.name == "gelu") tolerance = std::max(tolerance, kGeluForms);
    }

    double tolerance = 0;

  private:
    EventSource& source_;
};

bool same(double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

/// Error over the largest finite golden value where the suite's own tolerance is not kept.
double error_of(const Tensor& actual, const Tensor& golden) {
    double largest = 0;
    double error = 0;
    for (int64_t i = 0; i < golden.numel(); ++i) {
        const double a = actual.at(i);
        const double g = golden.at(i);
        if (std::isfinite(g)) largest = std::max(largest, std::abs(g));
        if (same(a, g) || std::abs(a - g) <= kSuiteAbsolute + kSuiteRelative * std::abs(g))
            continue;
        const double gap = std::abs(a - g);
        error = std::max(error, std::isfinite(gap) ? gap : HUGE_VAL);
    }
    return largest > 0 && std::isfinite(error) ? error / largest : error;
}

bool fits(const Tensor& actual, const Tensor& golden, double tolerance) {
    if (actual.dtype() != golden.dtype() || actual.shape() != golden.shape()) return false;
    if (!is_float(golden.dtype())) return golden.numel() == 0 || identical(actual, golden);
    return error_of(actual, golden) <= tolerance;
}

std::string unlike(const std::string& name, const Tensor& actual, const Tensor& golden) {
    if (actual.dtype() != golden.dtype() || actual.shape() != golden.shape())
        return name + " is " + std::string(name_of(actual.dtype())) + " " +
               to_string(actual.shape());
    return is_float(golden.dtype())
               ? name + " is off by " + std::to_string(error_of(actual, golden)) + " of its largest"
               : name + " has other integers";
}

std::string first_misfit(const NamedTensors& actual, const NamedTensors& golden, double tolerance) {
    if (actual.size() != golden.size()) return "another number of outputs";
    for (size_t i = 0; i < actual.size(); ++i)
        if (!fits(actual[i].second, golden[i].second, tolerance))
            return unlike(actual[i].first, actual[i].second, golden[i].second);
    return "";
}

}  // namespace

std::string judge_on_chip(const onnx_model::Model& model,
                          const OnnxDataSet& set,
                          const Device& device) {
    Executor executor(device);
    const PrecisionWatch watch(executor);
    const NamedTensors outputs = model.run(executor, set.inputs);
    return first_misfit(outputs, set.expected, watch.tolerance);
}

}  // namespace npuscope::test
