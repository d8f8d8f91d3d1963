#include "tests/npu_backend/onnx/onnx_case.h"

NPUSCOPE_ONNX_CASES(Views,
                    "expand",
                    "flatten",
                    "flatten_axis",
                    "flatten_all",
                    "reshape",
                    "reshape_allowzero",
                    "squeeze",
                    "squeeze_all",
                    "squeeze_opset_11",
                    "transpose",
                    "transpose_reversed",
                    "unsqueeze",
                    "unsqueeze_opset_11")
