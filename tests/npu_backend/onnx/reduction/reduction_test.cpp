#include "tests/npu_backend/onnx/onnx_case.h"

NPUSCOPE_ONNX_CASES(Reduction,
                    "reduce_mean_opset_11",
                    "reduce_mean_axes_input",
                    "reduce_mean_all",
                    "reduce_sum_opset_11",
                    "reduce_sum_axes_input",
                    "reduce_sum_all")
