#include <gtest/gtest.h>

#include "tests/npu_backend/op_rows.h"

NPUSCOPE_TEST_OPS(recurrent_gradients, RecurrentGradientsOps);
