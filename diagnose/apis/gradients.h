// The gradient of a function as calls of our ops. A recorder that listens above the dispatcher
// hooks the last autograd node of a function's result: what it records of a gradient is what that
// node was given and what it made, in the order of the node's inputs. Source  PyTorch,
// tools/autograd/derivatives.yaml: formulas, and the inputs of each node.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "diagnose/apis/api_call.h"

namespace npuscope::diagnose {

struct GradientQuery {
    const ApiCall& forward;             ///< with its results
    std::vector<SourceTensor> given{};  ///< the gradients of its results
    std::vector<SourceTensor> made{};   ///< of its inputs, see place_among()

    /// The gradient of the first result. Errors: Error(kUnsupported) where it is not recorded.
    [[nodiscard]] const SourceTensor& gradient() const;
    /// The tensor argument of the forward call. Errors: Error(kUnsupported) where there is none.
    [[nodiscard]] const SourceTensor& operand(std::string_view name) const;
    /// A number, or a bool, that the forward call was given.
    [[nodiscard]] double number(std::string_view name, double otherwise) const;
    [[nodiscard]] const SourceTensor& result() const;
    /// What was made for that place among the node's inputs; nullptr where nothing was.
    [[nodiscard]] const SourceTensor* at(size_t place) const;
};

/// The place of what was made among the node's inputs: its name, else its argument, which is a
/// number.
[[nodiscard]] const std::string& place_among(const SourceTensor& made);

/// By the name of the op that the function came to.
struct GradientRule {
    std::string_view op;
    /// The op that computes it, where one op does it all; words in `text` say what that is given.
    std::string_view by;
    std::string_view text;
    std::vector<ApiCall> (*make)(const GradientQuery& query) = nullptr;
};

[[nodiscard]] std::span<const GradientRule> all_gradient_rules();
/// nullptr where there is none.
[[nodiscard]] const GradientRule* find_gradient_rule(std::string_view op);

/// Each result of the gradient is made by one of them, or by none. Errors: Error(kUnsupported) says
/// why it cannot be computed.
[[nodiscard]] std::vector<ApiCall> gradient_calls(const GradientQuery& query);

/// One result made by one op. Its place among the node's inputs must have been recorded.
[[nodiscard]] ApiCall made_by(std::string_view op,
                              const std::vector<NamedOperand>& arguments,
                              const SourceTensor& made);

// Rules that are functions.
#define GRADIENT(op, by, text)
#define GRADIENT_BY(op, function) \
    [[nodiscard]] std::vector<ApiCall> function(const GradientQuery& query);
#include "diagnose/apis/gradients.def"
#undef GRADIENT
#undef GRADIENT_BY

}  // namespace npuscope::diagnose
