#include "npu_backend/onnx/random/random_state.h"
#include "tests/npu_backend/onnx/onnx_case.h"

NPUSCOPE_ONNX_CASES(Dropout, "dropout_training")

namespace npuscope::onnx_model {
namespace {

/// numpy.random.RandomState(0).random_sample(3)
TEST(RandomState, draws_what_numpy_draws) {
    RandomState state(0);
    EXPECT_EQ(state.uniform(), 0.5488135039273248);
    EXPECT_EQ(state.uniform(), 0.7151893663724195);
    EXPECT_EQ(state.uniform(), 0.6027633760716439);
}

}  // namespace
}  // namespace npuscope::onnx_model
