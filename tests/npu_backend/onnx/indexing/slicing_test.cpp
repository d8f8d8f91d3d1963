#include "tests/npu_backend/onnx/onnx_case.h"

NPUSCOPE_ONNX_CASES(Slicing,
                    "concat",
                    "gather_scalar",
                    "gather_table",
                    "gather_int32",
                    "slice",
                    "slice_backward",
                    "slice_to_the_end",
                    "slice_opset_9",
                    "split",
                    "split_opset_11",
                    "split_equally",
                    "split_num_outputs")
