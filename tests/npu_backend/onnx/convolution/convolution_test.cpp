#include "tests/npu_backend/onnx/onnx_case.h"

NPUSCOPE_ONNX_CASES(Convolution,
                    "conv",
                    "conv_without_bias",
                    "conv_strided_dilated",
                    "conv_groups",
                    "conv_depthwise",
                    "conv_unequal_pads",
                    "conv_same_upper",
                    "conv_same_lower",
                    "conv_1d",
                    "conv_transpose_3d")
