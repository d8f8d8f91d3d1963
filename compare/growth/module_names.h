// What the name of a recorded array or op tells: "blocks.0.ln_1.weight".
#pragma once

#include <string>
#include <string_view>

namespace npuscope::compare {

/// "blocks.#.q" of "blocks.12.q".
[[nodiscard]] std::string without_numbers(std::string_view name);

/// Whether a word of it is that of a parameter or buffer, which no op made, and not its gradient's
/// or an optimizer's.
[[nodiscard]] bool names_parameter(std::string_view name);

/// Whether it is the gradient of one: "fc.weight.grad", "Module.fc.Linear.parameters_grad".
[[nodiscard]] bool names_parameter_gradient(std::string_view name);

/// Whether it is of an optimizer: "optimizer.state.0.exp_avg".
[[nodiscard]] bool names_state(std::string_view name);

/// Whether it is a gradient's: "mm_backward", "fc.weight.grad".
[[nodiscard]] bool names_gradient(std::string_view name);

/// Whether its last part may be a matrix product or convolution, or hold some: "q_proj",
/// "layers.3.mlp"; not "ln_1", "act", "embed_tokens".
[[nodiscard]] bool may_hold_products(std::string_view name);

/// Whether an op of that IR name multiplies matrices, or may: "addmm", "convolution_backward", a
/// fused "npu_…"; not "embedding", "expand".
[[nodiscard]] bool op_may_hold_products(std::string_view op);

/// "sum_dim", "mean": its terms are more than its results.
[[nodiscard]] bool names_reduction(std::string_view name);

/// "_softmax": shares of one, which are no sums of what came in.
[[nodiscard]] bool names_share(std::string_view name);

/// "native_batch_norm", "layer1.bn2": a norm over the rows of a batch.
[[nodiscard]] bool names_batch_norm(std::string_view name);

/// "sgn", "round", "div_Tensor": elements jump where what came in is near to a limit between two
/// results, as a quotient does near 0.
[[nodiscard]] bool names_jump(std::string_view name);

/// "threshold_backward": zero where its input is below a number.
[[nodiscard]] bool names_gate(std::string_view name);

}  // namespace npuscope::compare
