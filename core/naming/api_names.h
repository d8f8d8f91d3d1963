// Names of a framework's functions, as recorders above the dispatcher write them, and the ops that
// they come to. Source  PyTorch's documentation of torch, torch.Tensor and torch.nn.functional:
// signatures.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace npuscope {

/// "Functional.conv2d.0.forward": the first run of torch.nn.functional.conv2d.
struct ApiRecord {
    std::string_view api;      ///< "Functional.conv2d"
    std::string_view run;      ///< "Functional.conv2d.0"
    bool is_backward = false;  ///< of its gradient

    [[nodiscard]] std::string_view module() const { return api.substr(0, api.find('.')); }
    /// "conv2d", "linalg.norm"
    [[nodiscard]] std::string_view function() const { return api.substr(api.find('.') + 1); }
};

/// Borrows the name; what precedes its last '/' is a folder. Empty where it is no record of an API:
/// a module's, a parameter's gradient, another dump's.
[[nodiscard]] std::optional<ApiRecord> parse_api_record(std::string_view name);

/// What a function is beside its op, where the two do not take the same arguments by the same
/// names.
struct ApiName {
    /// "Functional.relu", or "*.absolute" of every module.
    std::string_view api;
    /// The op's base name, all overloads; "@matmul": its arguments decide, by a rule of that name.
    std::string_view op;
    /// What it takes by position, blanks between: "input=self" is `input` here and `self` of the
    /// op. What the op does not have is left out; "!max_norm" must not be given. "": as the op.
    std::string_view arguments;
    /// Of what is not given: "eps=1e-05 training=false padding=0,0".
    std::string_view defaults;
};

/// MindSpore's functions as PyTorch's: "Mint.add_ex" is "Torch.add", "MintFunctional.relu" is
/// "Functional.relu". A primitive is named by its class: "Primitive.norm1.MatMul" is
/// "Primitive.MatMul". Others as they are.
[[nodiscard]] std::string plain_api(std::string_view api);
[[nodiscard]] std::span<const ApiName> all_api_names();
/// Of the function itself, of the same in place ("relu_" is "relu") or of every module; nullptr
/// where it is called as its op.
[[nodiscard]] const ApiName* find_api_name(std::string_view api);
/// What the function of a record takes in that place, "weight" of "Functional.conv2d.0.forward" in
/// place "1"; "" of gradients, of names that are no places, and where nobody knows.
[[nodiscard]] std::string_view argument_in_place(std::string_view record, std::string_view place);
/// The name without the '_' of a function that writes in place.
[[nodiscard]] std::string_view without_in_place(std::string_view function);

}  // namespace npuscope
