// One recorded run, held to the classes of its kind: what it says of its recording's arithmetic.
#pragma once

#include <array>
#include <compare>
#include <optional>
#include <string>
#include <utility>

#include "diagnose/judge/arithmetic.h"
#include "diagnose/judge/op_run.h"

namespace npuscope::diagnose {

/// A recorded run, and what it took in where that is not recorded with it.
struct SideOp {
    const SourceOp* op = nullptr;
    KnownInputs inputs{};
};

/// Ops that compute alike: their kind, the dtype of what they give out and, where the device tells,
/// what it computes them in.
struct ArithmeticGroup {
    OpKind kind = OpKind::kVector;
    DType dtype = DType::kFloat32;
    ComputeType computed_in = ComputeType::kNone;
    // NOLINTNEXTLINE(modernize-use-nullptr): it takes what the compiler makes of <=> for a 0.
    friend auto operator<=>(const ArithmeticGroup&, const ArithmeticGroup&) = default;
};

/// "matrix products (float32)"
[[nodiscard]] std::string name_of(const ArithmeticGroup& group);

inline constexpr size_t kMostClasses = 24;
/// The largest ratio of a run, held to each class of its kind, in their order.
using ClassRatios = std::array<double, kMostClasses>;

[[nodiscard]] ArithmeticGroup group_of(const OpRun& run);
/// "gelu" of gelu and gelu_backward: they have their forms in common.
[[nodiscard]] std::string name_of_forms(const backend::Op& op);

/// Of fp32, products and others alike.
inline constexpr size_t kPlainColumn = 1;

/// How many of the classes a sample is held to; more where fewer explain nothing.
enum class Tried : uint8_t {
    kPlain,  ///< fp32, and fp64 for float64 results
    kFirst,  ///< those of the first stages
    kAll,
};

/// What a run says of its group's class, and which form of its op fits best.
struct SampledRun {
    ArithmeticGroup group;
    ClassRatios ratios;
    /// Of products: each result held to fp32 or to that class, whichever it is nearer to; libraries
    /// choose for each gradient.
    ClassRatios either;
    /// Of products: the share of the numbers of a result that each class does not explain, the
    /// largest; 1 of other ops, and where it was not tried.
    ClassRatios off_by;
    /// Of significand, that all its float32 results need: 8 (bf16), 11 (fp16) or 24; 0 without any.
    int bits = 0;
    int64_t numbers = 0;  ///< float32 results that are finite and not 0
    /// Of the numbers of a result that are not 0, the largest share that fp32 does not explain.
    double off = 0;
    /// Narrow steps or sums would show: it takes several steps, or adds up more than the Cube adds
    /// at once, and gives out enough numbers.
    bool shows_steps = false;
    const SideOp* op = nullptr;  ///< borrowed
    std::string name;            ///< name_of_forms()
    size_t forms = 1;
    size_t best = 0;
    std::string form{};       ///< "approximate=tanh"; "" of the first
    bool is_clear = false;    ///< no other form fits nearly as well
    bool tells_form = false;  ///< of several forms one fits better than the others
};

/// Bits of significand that nearly all float32 numbers of a run's larger results need, and how many
/// numbers there are.
[[nodiscard]] std::pair<int, int64_t> result_bits(const OpRun& run);

/// Kinds whose class is still to be found: of all others, of products.
using OpenKinds = std::array<bool, 2>;

/// Empty where it says nothing, cannot be read, or nobody asks. Threads: any.
[[nodiscard]] std::optional<SampledRun> sampled_run(const SideOp& op,
                                                    Tried tried,
                                                    const OpenKinds& open);

}  // namespace npuscope::diagnose
