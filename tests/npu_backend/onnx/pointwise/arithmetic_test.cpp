#include "tests/npu_backend/onnx/onnx_case.h"

NPUSCOPE_ONNX_CASES(Arithmetic,
                    "add",
                    "sub",
                    "mul",
                    "div",
                    "add_larger_constant",
                    "add_symbols",
                    "pow_by_tensor",
                    "pow_by_scalar",
                    "pow_by_integer",
                    "scalar_arithmetic")
