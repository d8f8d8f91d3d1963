#include "tests/npu_backend/onnx/onnx_case.h"

NPUSCOPE_ONNX_CASES(Elementwise,
                    "relu",
                    "exp",
                    "tanh",
                    "sigmoid",
                    "neg",
                    "erf",
                    "sqrt",
                    "gelu",
                    "gelu_tanh",
                    "clip",
                    "clip_above",
                    "clip_opset_9",
                    "cast_to_float16",
                    "cast_to_int64",
                    "half_initializers")
