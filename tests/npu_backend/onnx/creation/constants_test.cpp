#include "tests/npu_backend/onnx/onnx_case.h"

NPUSCOPE_ONNX_CASES(Constants,
                    "constant_kinds",
                    "constant_of_shape",
                    "identity",
                    "shape_part",
                    "element_types",
                    "shape_arithmetic",
                    "shape_of_symbols")
