// The table of ONNX operators that can be lowered to IR ops.
#pragma once

#include <span>
#include <string_view>

namespace npuscope::onnx_model {

class NodeRun;

/// The operator sets of the default domain whose operators the table describes. Before 7,
/// broadcasting was an attribute.
inline constexpr int kOldestOpset = 1;
inline constexpr int kNewestOpset = 24;

/// No limit to the number of inputs or outputs.
inline constexpr int kAnyNumber = -1;

/// One row of operators.def.
struct Operator {
    std::string_view type;
    void (*lower)(NodeRun& node);
    int min_inputs;  ///< the first ones, which must be present
    int max_inputs;
    int max_outputs;
    std::string_view attributes;  ///< that the lowering understands, separated by blanks
    std::string_view ir_ops;      ///< that it may call, separated by blanks
};

[[nodiscard]] std::span<const Operator> all_operators();
/// nullptr when the table lacks it.
[[nodiscard]] const Operator* find_operator(std::string_view type);
/// Whether `word` is one of the blank-separated `words`.
[[nodiscard]] bool lists_word(std::string_view words, std::string_view word);

}  // namespace npuscope::onnx_model
