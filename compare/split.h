// The exact split of an error: what an op's own arithmetic added to its results, apart from what
// came in through its inputs. The interface; who can recompute ops implements it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compare/replay.h"
#include "core/dtype/compute_type.h"
#include "core/tensor/tensor.h"

namespace npuscope {
struct ArgumentDifference;
struct SourceOp;
struct SourceTensor;
}  // namespace npuscope

namespace npuscope::compare {

struct OpPair;
class PairedFlows;

/// Split::why_not of an op whose results depend on a generator; of one whose mask, scale and share
/// are right all the same.
inline constexpr const char* kRandomOp = "random";
inline constexpr const char* kCheckedRandomOp = "random; what does not depend on chance is right";

/// One element of a result against what its op makes of its own inputs.
struct ErrorElement {
    int64_t index = 0;  ///< in C order
    double recorded = 0;
    double expected = 0;  ///< f(inputs) in float64
    double allowed = 0;   ///< the largest error that honest arithmetic makes there
};

/// What one run of an op introduced into one result: recorded - f(its own inputs), f in float64.
struct Introduced {
    /// The largest |recorded - f(inputs)| / allowed; infinity where a non-finite element stands
    /// against a finite one. Above 1 it is more than honest arithmetic of the class makes.
    double ratio = 0;
    double relative = 0;  ///< max|recorded - f(inputs)| / max|f(inputs)|
    double largest = 0;   ///< max|f(inputs)| over finite values
    int64_t over = 0;     ///< elements beyond what is allowed
    int64_t numel = 0;
    /// Of recorded against f(inputs), by least squares; 1 without error.
    double slope = 1;
    /// Mean error over its standard error; above 8 the errors lean to one side.
    double lean = 0;
    bool reordered = false;  ///< places of elements that are equal up to rounding
    int64_t overflowed = 0;  ///< elements whose f(inputs) leaves the range of the result's format
    std::vector<ErrorElement> worst{};  ///< at most ten, by error over allowed
    std::string where{};                ///< where the elements over it lie: "all in [:, 5]"
    std::string arithmetic{};           ///< what it was held to: "fp16 inputs, fp32 sums"
    std::string formula{};              ///< of `allowed`
    std::string told{};                 ///< what is wrong, where that has a name; "" elsewhere
    /// Of several ops that stand for one of the other side: the path of the one that made the
    /// error; "" of the last.
    std::string step{};
    std::string step_result{};  ///< the path of its result that is off
};

/// Both sides' runs of one result.
struct Split {
    std::optional<Introduced> target{};
    std::optional<Introduced> golden{};  ///< asked for where the sides differ
    /// max|f(target's inputs) - f(golden's inputs)| / max|f(golden's inputs)|
    std::optional<double> inherited{};
    /// Of the target's result against f(its tensors, the golden's other arguments), over what is
    /// allowed; empty where these arguments are the same.
    std::optional<double> by_golden_arguments{};
    /// One of these is a constant of the program, and the target's results are nearer to its own.
    bool is_other_constant = false;
    std::string arguments{};  ///< those that differ: "eps 0.001, golden 1e-05"
    std::string why_not{};  ///< why the target's share is not known: "random", "no inputs recorded"
    /// Of one that cannot be computed: what it may have computed in, as other ops show it.
    ComputeType like = ComputeType::kNone;
};

/// A kind of op whose arithmetic, as its results show it, is not the expected.
struct ArithmeticContradiction {
    std::string ops{};       ///< "matrix products (float32)"
    std::string found{};     ///< the class that they behave like
    std::string expected{};  ///< the class that they should
    std::string because{};   ///< who says so: "910A"; "" where the class itself was named
    int64_t sampled = 0;
    int64_t found_explains = 0;     ///< of the sample
    int64_t expected_explains = 0;  ///< likewise
    const OpPair* first = nullptr;  ///< the first that was sampled
};

/// What is known of one output of the op pair before it is split.
struct SplitQuery {
    const SourceTensor* target = nullptr;
    const SourceTensor* golden = nullptr;
    bool differs = false;  ///< beyond the tolerance of its precision
    bool same = false;  ///< the inputs of both sides and this output are equal, element by element
};

/// f(inputs) of one run of an op, in float64 and as float32 arithmetic makes it, rounded to the
/// dtypes of its results.
struct ExactRun {
    struct Output {
        std::string argument;  ///< as the recording calls the result
        Tensor exact;          ///< float64; whole numbers in their own dtype
        Tensor plain;          ///< of float32 arithmetic; numel 0 where it was not asked for
    };
    std::vector<Output> outputs{};
    std::string why_not{};  ///< why there are none; "" with some
};

/// Threads: split() and exact() may be called by several threads at once.
class Splitter {
  public:
    virtual ~Splitter() = default;
    /// Of a target without inputs: whether its ops were given the golden's, and not what its own
    /// earlier ops made.
    [[nodiscard]] virtual bool was_loaded(PairedFlows& flows) const = 0;
    /// Called once, before any split(). `chosen` are the pairs that will be split, as indices into
    /// the plan's ops; all where it is empty. Borrows the flows.
    virtual void prepare(PairedFlows& flows, std::span<const size_t> chosen) = 0;
    /// One a query, in their order; `arguments` are the numbers that differ. Errors: as the
    /// sources' when a file cannot be read.
    [[nodiscard]] virtual std::vector<Split> split(
        const OpPair& pair,
        const std::vector<SplitQuery>& outputs,
        const std::vector<ArgumentDifference>& arguments) const = 0;
    /// f(inputs) of a run, for standards that want it: of one whose recording holds outputs only
    /// on the inputs that its pair tells; with `plain` also as float32 arithmetic makes it. May be
    /// called without prepare(). Errors: as the sources.
    [[nodiscard]] virtual ExactRun exact(const SourceOp& run, const OpPair* pair, bool plain) const;
    /// The golden's program on the target's numbers; empty where nothing is computed. After
    /// prepare().
    [[nodiscard]] virtual std::optional<Replay> replay(PairedFlows& flows) const;
    /// Of a target without inputs: the op that takes in what `extra`, an op of the target alone,
    /// makes; nullptr where nothing shows it. After prepare().
    [[nodiscard]] virtual const SourceOp* taker_of(const SourceOp& /*extra*/) const {
        return nullptr;
    }
    /// Whether the target's chip gives out infinities where others saturate.
    [[nodiscard]] virtual bool infinities_count() const { return false; }
    /// What was found out about the files' arithmetic, a sentence each.
    [[nodiscard]] virtual std::vector<std::string> remarks() const { return {}; }
    /// What of the target's arithmetic is not as it was said to be, one a kind of op.
    [[nodiscard]] virtual std::vector<ArithmeticContradiction> contradictions() const { return {}; }
};

inline std::optional<Replay> Splitter::replay(PairedFlows& /*flows*/) const {
    return std::nullopt;
}

inline ExactRun Splitter::exact(const SourceOp& /*run*/,
                                const OpPair* /*pair*/,
                                bool /*plain*/) const {
    return {.outputs = {}, .why_not = "nothing is computed here"};
}

}  // namespace npuscope::compare
