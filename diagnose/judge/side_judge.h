// One recording's ops held against honest arithmetic, whose class is found out from the recording
// or told by the device that made it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compare/split.h"
#include "diagnose/judge/class_inference.h"
#include "diagnose/judge/habits.h"
#include "diagnose/judge/op_run.h"
#include "npu_backend/chips/device.h"

namespace npuscope::diagnose {

/// Ops that compute alike: their kind, the dtype of what they give out and, where the device tells,
/// what it computes them in.
struct ArithmeticGroup {
    OpKind kind = OpKind::kVector;
    DType dtype = DType::kFloat32;
    ComputeType computed_in = ComputeType::kNone;
    friend auto operator<=>(const ArithmeticGroup&, const ArithmeticGroup&) = default;
};

/// Threads: judge() may be called by several threads at once.
class SideJudge {
  public:
    /// Finds the classes of `ops`; `threads` 0: all cores. Borrows what the ops borrow. An op that
    /// cannot be read says nothing here.
    explicit SideJudge(const std::vector<SideOp>& ops, int threads = 0);
    /// Takes the classes that `device` states of what it computed; `ops` are those that it ran, for
    /// sentences(). Borrows the device.
    SideJudge(const std::vector<SideOp>& ops, const Device& device);

    /// One a result of the run, in their order; empty where the op gives no such result.
    using Errors = std::vector<std::optional<compare::Introduced>>;
    [[nodiscard]] Errors judge(const OpRun& run) const;
    /// The form that fits best, and its errors.
    [[nodiscard]] std::pair<size_t, Errors> judge_best(const std::vector<OpRun>& forms) const;
    /// The form that all sampled runs of the op and its gradient have; empty where they are few or
    /// not of one mind.
    [[nodiscard]] std::optional<size_t> form_of(const backend::Op& op) const;
    [[nodiscard]] const std::map<ArithmeticGroup, InferredArithmetic>& classes() const {
        return classes_;
    }
    /// Of ops that are no products and give out what `run` does; fp32 where there are none.
    [[nodiscard]] const VectorClass& vector_class(const OpRun& run) const {
        ArithmeticGroup group = group_of(run);
        group.kind = OpKind::kVector;
        return *class_of(group).vector;
    }
    /// "matrix products (float32): fp16 inputs, fp32 sums (24 of 24 sampled)"
    [[nodiscard]] std::vector<std::string> sentences() const;

  private:
    [[nodiscard]] InferredArithmetic class_of(const ArithmeticGroup& group) const;
    [[nodiscard]] ArithmeticGroup group_of(const OpRun& run) const;
    /// Of the class's bound: what an op keeps to that computes like its like and like honest runs
    /// here.
    template <class Error, class Class>
    [[nodiscard]] double allowed_share(const OpRun& run,
                                       Error& error,
                                       const Class& by,
                                       const RecordedResult& result) const;
    /// Closeness::times by result.
    [[nodiscard]] std::map<std::string, double> times_of(const OpRun& run) const;

    const Device* device_ = nullptr;  ///< of one that tells
    std::map<ArithmeticGroup, InferredArithmetic> classes_;
    /// By op, "gelu_backward" being "gelu": how many runs each form fits best.
    std::map<std::string, std::vector<int64_t>> forms_;
    Habits habits_;
};

}  // namespace npuscope::diagnose
