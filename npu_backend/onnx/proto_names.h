// How messages name the parts of an ONNX file.
#pragma once

#include <onnx/onnx_pb.h>
#include <string>
#include <string_view>

#include "core/base/printable.h"

namespace npuscope::onnx_model {

[[nodiscard]] inline bool is_default_domain(std::string_view domain) {
    return domain.empty() || domain == "ai.onnx";
}

[[nodiscard]] inline std::string node_name(const onnx::NodeProto& node, int index) {
    return node.name().empty() ? node.op_type() + "_" + std::to_string(index) : node.name();
}

/// "Relu", "com.example.Fused"
[[nodiscard]] inline std::string operator_name(const onnx::NodeProto& node) {
    return is_default_domain(node.domain()) ? node.op_type() : node.domain() + "." + node.op_type();
}

/// "node '/c/Conv' (Conv)"
[[nodiscard]] inline std::string in_words(const onnx::NodeProto& node, int index) {
    return "node " + in_quotes(node_name(node, index)) + " (" + printable(operator_name(node)) +
           ")";
}

}  // namespace npuscope::onnx_model
