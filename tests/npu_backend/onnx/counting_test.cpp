#include "tests/npu_backend/onnx/onnx_case.h"
