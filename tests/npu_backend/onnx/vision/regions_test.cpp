#include "tests/npu_backend/onnx/onnx_case.h"

NPUSCOPE_ONNX_CASES(Regions, "roi_align", "roi_align_max")
