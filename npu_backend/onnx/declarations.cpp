#include "npu_backend/onnx/declarations.h"

#include <vector>

#include "core/base/error.h"
#include "npu_backend/onnx/read_tensor.h"

namespace npuscope::onnx_model {

namespace {

/// What is inside sequences and optionals.
const onnx::TypeProto& innermost(const onnx::TypeProto& type) {
    if (type.has_optional_type()) return innermost(type.optional_type().elem_type());
    if (type.has_sequence_type()) return innermost(type.sequence_type().elem_type());
    return type;
}

[[noreturn]] void not_a_tensor(const std::string& what) {
    throw Error(
        ErrorKind::kUnsupported,
        what + " is not declared as a tensor, a sequence of tensors or an optional of " + "either");
}

}  // namespace

Attribute read_attribute(const onnx::AttributeProto& proto,
                         const std::string& what,
                         ExternalData& files) {
    Attribute attribute;
    attribute.name = proto.name();
    switch (proto.type()) {
        case onnx::AttributeProto_AttributeType_INT:
            attribute.value = static_cast<int64_t>(proto.i());
            break;
        case onnx::AttributeProto_AttributeType_FLOAT:
            attribute.value = static_cast<double>(proto.f());
            break;
        case onnx::AttributeProto_AttributeType_STRING:
            attribute.value = proto.s();
            break;
        case onnx::AttributeProto_AttributeType_INTS:
            attribute.value = IntList(proto.ints().begin(), proto.ints().end());
            break;
        case onnx::AttributeProto_AttributeType_FLOATS:
            attribute.value = std::vector<double>(proto.floats().begin(), proto.floats().end());
            break;
        case onnx::AttributeProto_AttributeType_STRINGS:
            attribute.value =
                std::vector<std::string>(proto.strings().begin(), proto.strings().end());
            break;
        case onnx::AttributeProto_AttributeType_TENSOR:
            attribute.value = read_tensor(proto.t(), what, files);
            break;
        case onnx::AttributeProto_AttributeType_TYPE_PROTO:
            attribute.value = element_type(innermost(proto.tp()).tensor_type().elem_type(), what);
            break;
        default:
            throw Error(ErrorKind::kUnsupported, what + " has a type that is not supported");
    }
    return attribute;
}

TensorInfo read_info(const onnx::ValueInfoProto& proto, const std::string& what, bool is_input) {
    TensorInfo info;
    info.name = proto.name();
    const onnx::TypeProto* type = &proto.type();
    if (type->has_optional_type()) {
        info.optional = true;
        type = &type->optional_type().elem_type();
    }
    if (type->has_sequence_type()) {
        info.kind = ValueKind::kSequence;
        type = &type->sequence_type().elem_type();
    }
    if (!type->has_tensor_type()) not_a_tensor(what);
    info.dtype = element_type(type->tensor_type().elem_type(), what);
    info.shape_known = type->tensor_type().has_shape();
    if (is_input && !info.shape_known && info.kind == ValueKind::kTensor)
        throw Error(ErrorKind::kUnsupported,
                    what + " is declared without a shape; export the model with input shapes");
    for (const auto& dim : type->tensor_type().shape().dim()) {
        if (dim.has_dim_value() && dim.dim_value() < 0)
            throw Error(ErrorKind::kFormat, what + " is declared with a negative dimension");
        info.shape.push_back(dim.has_dim_value() ? dim.dim_value() : -1);
        info.symbols.push_back(dim.has_dim_param() ? dim.dim_param() : "");
    }
    return info;
}

}  // namespace npuscope::onnx_model
