#include "tests/npu_backend/onnx/onnx_case.h"

NPUSCOPE_ONNX_CASES(Pooling,
                    "max_pool",
                    "max_pool_ceil",
                    "max_pool_dilated",
                    "max_pool_unequal_pads",
                    "max_pool_1d",
                    "average_pool",
                    "average_pool_with_pads",
                    "average_pool_unequal_pads",
                    "global_average_pool",
                    "max_pool_3d")
