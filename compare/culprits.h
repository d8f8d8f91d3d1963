// Where the errors of a comparison begin: its findings, each told once, in the program's order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace npuscope::compare {

struct Result;

/// What is at fault.
enum class CulpritKind : uint8_t {
    kOp,          ///< the target's op: its arithmetic
    kArgument,    ///< a number that it was called with
    kTensor,      ///< a tensor that no op computed, or that is not what the golden's op was given
    kProgram,     ///< ops that only one side has
    kGolden,      ///< the golden's op
    kArithmetic,  ///< how all ops of a kind compute: not as expected
};
[[nodiscard]] std::string_view name_of(CulpritKind kind);

struct Culprit {
    CulpritKind kind = CulpritKind::kOp;
    size_t op = 0;               ///< index into Result::ops
    bool behind = false;         ///< kProgram: what is missing would stand behind that op
    std::string tensor{};        ///< kTensor: "/mm/33/input/mat2"
    std::string why{};           ///< a sentence
    bool is_of_another = false;  ///< kTensor: it is another tensor that the golden was given
    bool is_rearranged = false;  ///< kTensor: the golden's elements in another order
    bool is_rewired = false;     ///< kTensor: it is not what an op before it made
    std::string argument{};      ///< kArgument: its name; "" where the op's differing ones tell
    std::string step{};          ///< kOp: Introduced::step
    /// The largest share of it in max|t-g| / max|g| of a last output or gradient; empty where
    /// errors do not go from op to op (load mode), or nobody followed them.
    std::optional<double> effect{};
    std::string effect_on{};  ///< that output's path in the target; "" without an effect
};

/// Adds to `result.culprits`, which has those of tensors and of arithmetic, where the programs part
/// and what its ops did; puts them in the program's order, what an op was given before what it did.
/// Where the first one is barely beyond what is honest, the first that is clearly goes before it.
void find_culprits(Result& result);

}  // namespace npuscope::compare
