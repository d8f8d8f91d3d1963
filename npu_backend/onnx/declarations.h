// Attributes of nodes, and declared inputs and outputs, turned from protobuf into ours.
#pragma once

#include <onnx/onnx_pb.h>
#include <string>

#include "npu_backend/onnx/external_data.h"
#include "npu_backend/onnx/graph.h"

namespace npuscope::onnx_model {

/// `what` names the attribute in messages. Bodies are not read here.
/// Errors: Error(kUnsupported) sparse tensors and lists of tensors, types or graphs.
[[nodiscard]] Attribute read_attribute(const onnx::AttributeProto& proto,
                                       const std::string& what,
                                       ExternalData& files);

/// Errors: Error(kFormat) negative dimensions; Error(kUnsupported) other than tensors, sequences of
/// tensors and optionals of either, element types outside the table, a tensor that is an input
/// without a shape.
[[nodiscard]] TensorInfo read_info(const onnx::ValueInfoProto& proto,
                                   const std::string& what,
                                   bool is_input);

}  // namespace npuscope::onnx_model
