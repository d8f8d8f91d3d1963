#include "tests/npu_backend/onnx/onnx_case.h"

NPUSCOPE_ONNX_CASES(Selection, "gather_nd", "scatter_nd_add", "top_k", "cum_sum_backward")
