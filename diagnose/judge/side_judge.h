// One recording's ops held against honest arithmetic, whose class is found out from the recording
// or told by the device that made it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compare/split.h"
#include "diagnose/judge/arithmetic.h"
#include "diagnose/judge/op_run.h"
#include "npu_backend/chips/device.h"

namespace npuscope::diagnose {

/// A recorded run, and what it took in where that is not recorded with it.
struct SideOp {
    const compare::SourceOp* op = nullptr;
    KnownInputs inputs{};
};

/// Ops that compute alike: their kind, the dtype of what they give out and, where the device tells,
/// what it computes them in.
struct ArithmeticGroup {
    OpKind kind = OpKind::kVector;
    DType dtype = DType::kFloat32;
    ComputeType computed_in = ComputeType::kNone;
    friend auto operator<=>(const ArithmeticGroup&, const ArithmeticGroup&) = default;
};

/// The class of a group, found from a sample of its ops or told by the device.
struct InferredArithmetic {
    const ProductClass* product = nullptr;
    const VectorClass* vector = nullptr;
    int64_t sampled = 0;  ///< of a device that tells: all ops of the group
    int64_t within = 0;   ///< of the sample: what the class explains
    [[nodiscard]] std::string_view name() const {
        return product != nullptr ? product->name : vector->name;
    }
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
    /// "matrix products (float32): fp16 inputs, fp32 sums (24 of 24 sampled)"
    [[nodiscard]] std::vector<std::string> sentences() const;

  private:
    [[nodiscard]] InferredArithmetic class_of(const ArithmeticGroup& group) const;
    [[nodiscard]] ArithmeticGroup group_of(const OpRun& run) const;

    const Device* device_ = nullptr;  ///< of one that tells
    std::map<ArithmeticGroup, InferredArithmetic> classes_;
    /// By op, "gelu_backward" being "gelu": how many runs each form fits best.
    std::map<std::string, std::vector<int64_t>> forms_;
};

}  // namespace npuscope::diagnose
