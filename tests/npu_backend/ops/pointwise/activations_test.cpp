#include <gtest/gtest.h>

#include "tests/npu_backend/op_rows.h"

namespace npuscope {
namespace {

// CANN's Gelu is the tanh form; from the erf form it differs by up to 5e-4.
}  // namespace
}  // namespace npuscope

NPUSCOPE_TEST_OPS(activations, Activations);
