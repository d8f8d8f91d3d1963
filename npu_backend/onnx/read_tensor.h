// A tensor stored in an ONNX file, checked before anything is allocated for it.
#pragma once

#include <string>

#include "core/tensor/tensor.h"

namespace onnx {
class TensorProto;
}

namespace npuscope::onnx_model {

class ExternalData;

/// `what` names the tensor in messages. Errors: Error(kFormat) dimensions that do not fit the
/// stored data, Error(kUnsupported) element types outside the table and segmented data; those of
/// ExternalData.
[[nodiscard]] Tensor read_tensor(const onnx::TensorProto& proto,
                                 const std::string& what,
                                 ExternalData& files);

/// The same for a tensor that must hold its data itself.
[[nodiscard]] Tensor read_tensor(const onnx::TensorProto& proto, const std::string& what);

/// "float16", or ONNX's name of a type that has no row in the table of dtypes.
[[nodiscard]] std::string element_type_name(int onnx_code);

/// Errors: Error(kUnsupported) unless the code is in the table of dtypes.
[[nodiscard]] DType element_type(int onnx_code, const std::string& what);

}  // namespace npuscope::onnx_model
