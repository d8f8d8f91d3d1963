#include "tests/npu_backend/onnx/onnx_case.h"

NPUSCOPE_ONNX_CASES(Shaping, "pad_reflect", "tile", "depth_to_space", "one_hot")
