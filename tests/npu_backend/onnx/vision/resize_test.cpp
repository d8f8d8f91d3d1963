#include "tests/npu_backend/onnx/onnx_case.h"

NPUSCOPE_ONNX_CASES(Resize, "resize_cubic", "resize_linear_down")
