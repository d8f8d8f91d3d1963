#include "tests/npu_backend/onnx/onnx_case.h"

NPUSCOPE_ONNX_CASES(Softmax,
                    "softmax",
                    "softmax_axis",
                    "softmax_opset_11",
                    "log_softmax",
                    "log_softmax_axis",
                    "log_softmax_opset_11")
