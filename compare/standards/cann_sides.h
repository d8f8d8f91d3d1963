// What CANN's precision standards hold against each other: a result, the float64 reference, a third
// chip's result.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compare/standards/standard.h"
#include "core/dtype/compute_type.h"

namespace npuscope::compare {

/// One result of an op. Vectors have the elements of the result in C order.
struct CannSides {
    DType dtype = DType::kFloat32;  ///< of the target
    ComputeType computed = ComputeType::kNone;
    std::vector<double> actual{};
    std::vector<double> reference{};
    std::vector<double> third{};            ///< empty: there is none
    std::vector<double> third_reference{};  ///< of the third chip's own inputs
    std::string told{};                     ///< what the reference is: "fp64 of its inputs"
};

/// Of whole numbers and bools: how they have to agree.
enum class WholeRule : uint8_t {
    kNone,       ///< floats
    kEqual,      ///< computed from whole numbers, or bools
    kQuantized,  ///< whole numbers computed from floats
};

/// The op of a query, whose references are computed once for all its results.
class CannOp {
  public:
    /// With `with_third` the third chip's runs are made ready. Borrows the query.
    CannOp(const StandardQuery& query, bool with_third);

    /// One a tensor: outputs of whole numbers where `allowed` tells how far these may be off,
    /// others by `floats`. Errors: as the sources.
    [[nodiscard]] std::vector<StandardVerdict> verdicts(
        const std::function<std::optional<int64_t>(WholeRule)>& allowed,
        const std::function<StandardVerdict(const CannSides&)>& floats) const;

  private:
    [[nodiscard]] WholeRule rule_of(const TensorPair& pair) const;
    /// Empty, with the reason in `why_not`. Errors: as the sources.
    [[nodiscard]] std::optional<CannSides> sides_of(const TensorPair& pair,
                                                    std::string& why_not) const;
    /// Elements of whole numbers that are off by more than `allowed`; the golden's are the
    /// reference. Errors: as the sources.
    [[nodiscard]] StandardVerdict whole_verdict(const TensorPair& pair, int64_t allowed) const;
    [[nodiscard]] const SourceTensor* third_of(const TensorPair& pair) const;
    void take_third(const TensorPair& pair, CannSides& sides) const;

    const StandardQuery& query_;
    bool with_third_;
    ExactRun own_;
    ExactRun third_;  ///< of the golden, where that is the third chip
    bool takes_floats_ = false;
};

}  // namespace npuscope::compare
