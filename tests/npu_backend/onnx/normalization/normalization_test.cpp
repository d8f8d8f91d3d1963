#include "tests/npu_backend/onnx/onnx_case.h"

NPUSCOPE_ONNX_CASES(Normalization, "layer_norm", "layer_norm_two_axes", "batch_norm")
