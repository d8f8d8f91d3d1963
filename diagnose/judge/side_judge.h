// One recording's ops held against honest arithmetic, whose class is found out from the recording
// or told by the device that made it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compare/split.h"
#include "diagnose/judge/class_inference.h"
#include "diagnose/judge/closeness.h"
#include "diagnose/judge/habits.h"
#include "diagnose/judge/op_run.h"
#include "diagnose/judge/ops_apart.h"
#include "npu_backend/chips/device.h"

namespace npuscope::diagnose {

/// Threads: judge() may be called by several threads at once.
class SideJudge {
  public:
    /// Runs of an op that are computed by every class; taken evenly from the recording.
    static constexpr size_t kSample = 24;

    /// Finds the classes of `ops` from `sample` runs of each name; `threads` 0: all cores. Borrows
    /// what the ops borrow. An op that cannot be read says nothing here.
    /// Classes more lenient than one that explains all are tried with `all_classes` only.
    explicit SideJudge(const std::vector<SideOp>& ops,
                       int threads = 0,
                       size_t sample = kSample,
                       bool all_classes = false);
    /// Takes the classes that `device` states of what it computed; `ops` are those that it ran, for
    /// sentences(). Borrows the device.
    SideJudge(const std::vector<SideOp>& ops, const Device& device);

    /// One a result of the run, in their order; empty where the op gives no such result.
    using Errors = std::vector<std::optional<compare::Introduced>>;
    [[nodiscard]] Errors judge(const OpRun& run) const;
    /// The form that fits best, and its errors.
    [[nodiscard]] std::pair<size_t, Errors> judge_best(const std::vector<OpRun>& forms) const;
    /// The form that all sampled runs of the op and its gradient have; empty where they are not of
    /// one mind, and of a single run that other forms fit nearly as well.
    [[nodiscard]] std::optional<size_t> form_of(const backend::Op& op) const;
    /// The form of all sampled runs of the op and its gradient but one, of four and more; else
    /// empty.
    [[nodiscard]] std::optional<size_t> form_of_all_but_one(const backend::Op& op) const;
    /// What tells the classes; nullptr where they are found out.
    [[nodiscard]] const Device* device() const { return device_; }
    [[nodiscard]] const std::map<ArithmeticGroup, InferredArithmetic>& classes() const {
        return classes_;
    }
    /// Of ops that are no products and give out what `run` does; fp32 where there are none.
    [[nodiscard]] const VectorClass& vector_class(const OpRun& run) const {
        ArithmeticGroup group = own_group(run);
        group.kind = OpKind::kVector;
        return class_of(group, run).of_vectors();
    }
    /// What an op that nobody knows may have computed in, which gives out `dtype`: the narrowest
    /// format that others of it show; kNone where that is no less than `dtype`.
    [[nodiscard]] ComputeType narrowest_of(DType dtype) const;
    /// What products may lose of an operand that is near zero: all below the range of their format,
    /// or half of its smallest number; 0 of formats whose range is float32's.
    [[nodiscard]] double lost_of_operands() const;
    /// Of products or of all others that are stored as `dtype`, or as anything: the fewest bits
    /// that some compute in or are stored in; of products none of which could be computed those of
    /// float16, as a matrix unit rounds operands.
    [[nodiscard]] int fewest_bits_of(bool products, std::optional<DType> dtype) const;
    /// Of a group of classes(): its own runs, whatever its class was told by.
    [[nodiscard]] const ArithmeticSample& sample_of(const ArithmeticGroup& group) const {
        return samples_.at(group);
    }
    /// "matrix products (float32): fp16 inputs, fp32 sums (24 of 24 sampled)"
    [[nodiscard]] std::vector<std::string> sentences() const;

  private:
    [[nodiscard]] InferredArithmetic class_of(const ArithmeticGroup& group) const;
    /// Of a run of the group.
    [[nodiscard]] InferredArithmetic class_of(const ArithmeticGroup& group, const OpRun& run) const;
    /// That the steps of a run of the group may keep to as well: the products' in it, of cuDNN's
    /// ops also the convolutions', which have one setting with them (TF32 unless asked for more),
    /// and of a program of several ops those of the ops that are apart.
    [[nodiscard]] std::vector<InferredArithmetic> classes_inside(
        const OpRun& run, const ArithmeticGroup& group) const;
    /// With what the device computed it in, where that tells the class.
    [[nodiscard]] ArithmeticGroup own_group(const OpRun& run) const;
    /// Of a result that is beyond its class, as libraries do that add up in parts of 16 bits; empty
    /// where none does.
    template <class Error, class Class>
    [[nodiscard]] std::optional<compare::Introduced> judge_in_parts(
        const OpRun& run, Error& error, const Class& by, const RecordedResult& result) const;
    /// Of a result within its limit: a fault that can be told by its name.
    template <class Error, class Class>
    [[nodiscard]] std::optional<compare::Introduced> named_fault(const OpRun& run,
                                                                 Error& error,
                                                                 const Class& by,
                                                                 const RecordedResult& result,
                                                                 const Tightness& tight) const;
    /// What an op keeps to that computes like its like and like honest runs here.
    template <class Error, class Class>
    [[nodiscard]] Tightness tightness(const OpRun& run,
                                      Error& error,
                                      const Class& by,
                                      const RecordedResult& result) const;
    /// Of each result.
    [[nodiscard]] std::map<std::string, Habit> habits_of(const OpRun& run) const;

    const Device* device_ = nullptr;  ///< of one that tells
    std::map<ArithmeticGroup, InferredArithmetic> classes_;
    std::map<ArithmeticGroup, OpsApart> apart_;
    std::map<ArithmeticGroup, ArithmeticSample> samples_;
    /// Of an op and its gradient.
    struct Forms {
        std::vector<int64_t> runs;  ///< how many each form fits best
        std::string last;           ///< SampledRun::form of the last of them
        bool are_clear = true;      ///< SampledRun::is_clear of all
        /// As form_of().
        [[nodiscard]] std::optional<size_t> common() const;
    };
    std::map<std::string, Forms> forms_;  ///< by op, "gelu_backward" being "gelu"
    Habits habits_;
};

}  // namespace npuscope::diagnose
