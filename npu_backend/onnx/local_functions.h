// Functions that a model brings along (ModelProto.functions): operators written as nodes.
#pragma once

#include <cstdint>
#include <map>
#include <onnx/onnx_pb.h>
#include <string>
#include <utility>

namespace npuscope::onnx_model {

/// Borrows the model. A function hides an operator of the same domain and name.
class LocalFunctions {
  public:
    /// Errors: Error(kFormat) two functions of one name.
    explicit LocalFunctions(const onnx::ModelProto& model);

    /// nullptr when the node calls no function of the model.
    [[nodiscard]] const onnx::FunctionProto* find(const onnx::NodeProto& node) const;

  private:
    std::map<std::pair<std::string, std::string>, const onnx::FunctionProto*> functions_;
};

/// The version of the default domain among `imports`, or `otherwise` when it is not there.
/// Errors: Error(kUnsupported) outside the operator sets that the table describes.
[[nodiscard]] int64_t default_opset(
    const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto>& imports, int64_t otherwise);

/// Error(kUnsupported) that lists every operator that is neither in the table nor a function of
/// the model, with its first node and the number of its nodes; bodies and functions count too.
void require_known_operators(const onnx::GraphProto& graph, const LocalFunctions& functions);

}  // namespace npuscope::onnx_model
