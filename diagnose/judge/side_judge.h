// One recording's ops held against honest arithmetic, whose class is found out from the recording.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compare/split.h"
#include "diagnose/judge/arithmetic.h"
#include "diagnose/judge/op_run.h"

namespace npuscope::diagnose {

/// A recorded run, and what it took in where that is not recorded with it.
struct SideOp {
    const compare::SourceOp* op = nullptr;
    KnownInputs inputs{};
};

/// Ops that compute alike: their kind, and the dtype of what they give out.
struct ArithmeticGroup {
    OpKind kind = OpKind::kVector;
    DType dtype = DType::kFloat32;
    friend auto operator<=>(const ArithmeticGroup&, const ArithmeticGroup&) = default;
};

/// "matrix products (float32)"
[[nodiscard]] std::string name_of(const ArithmeticGroup& group);

inline constexpr size_t kMostClasses = 24;
/// The largest ratio of a run, held to each class of its kind, in their order.
using ClassRatios = std::array<double, kMostClasses>;

/// Runs of a group that tell its class.
struct ArithmeticSample {
    std::vector<ClassRatios> ratios;
    size_t first = 0;  ///< of them in the recording: index into the judge's ops
};

/// Runs that the class in that column explains.
[[nodiscard]] int64_t count_within(const std::vector<ClassRatios>& sample, size_t column);
/// All but few; in a small sample all but one that is far off, not just over its limit.
[[nodiscard]] bool explains(const std::vector<ClassRatios>& sample, size_t column);

/// The class of a group, found from a sample of its ops.
struct InferredArithmetic {
    const ProductClass* product = nullptr;
    const VectorClass* vector = nullptr;
    int64_t sampled = 0;
    int64_t within = 0;  ///< of the sample: what the class explains
    [[nodiscard]] std::string_view name() const {
        return product != nullptr ? product->name : vector->name;
    }
};

/// Threads: judge() may be called by several threads at once.
class SideJudge {
  public:
    /// Runs of an op that are computed by every class; taken evenly from the recording.
    static constexpr size_t kSample = 24;

    /// Finds the classes of `ops` from `sample` runs of each name; `threads` 0: all cores. Borrows
    /// what the ops borrow. An op that cannot be read says nothing here.
    explicit SideJudge(const std::vector<SideOp>& ops, int threads = 0, size_t sample = kSample);

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
    /// Of a group of classes(): its own runs, whatever its class was told by.
    [[nodiscard]] const ArithmeticSample& sample_of(const ArithmeticGroup& group) const {
        return samples_.at(group);
    }
    /// "matrix products (float32): fp16 inputs, fp32 sums (24 of 24 sampled)"
    [[nodiscard]] std::vector<std::string> sentences() const;

  private:
    [[nodiscard]] const InferredArithmetic& class_of(const ArithmeticGroup& group) const;

    std::map<ArithmeticGroup, InferredArithmetic> classes_;
    std::map<ArithmeticGroup, ArithmeticSample> samples_;
    /// By op, "gelu_backward" being "gelu": how many runs each form fits best.
    std::map<std::string, std::vector<int64_t>> forms_;
};

[[nodiscard]] ArithmeticGroup group_of(const OpRun& run);

}  // namespace npuscope::diagnose
