#include "npu_backend/float_status_register.h"

#include <bit>
#include <cmath>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "npu_backend/executor.h"
#include "tests/support/values.h"

namespace npuscope {
namespace {

using test::half;

class FloatStatusOf910A : public testing::Test {
  protected:
    FloatStatusOf910A() { npu_.attach(status_); }
    ~FloatStatusOf910A() override { npu_.detach(status_); }

    Executor npu_{chip("910A")};
    FloatStatusRegister status_;
};

TEST_F(FloatStatusOf910A, version_1_writes_ones_into_the_buffer_and_is_sticky) {
    EXPECT_EQ(npu_.call("add_Tensor", {half(40000), half(40000)}).tensor().at(0), 65504);
    Tensor buffer = FloatStatusRegister::alloc();
    for (int round = 0; round < 2; ++round) {
        const Tensor output = status_.get_v1(buffer);
        for (const float word : buffer.as<float>())
            EXPECT_EQ(std::bit_cast<uint32_t>(word), 0x3F800000u);
        for (const float word : output.as<float>())
            EXPECT_EQ(word, 0);
    }
    const Tensor cleared = status_.clear_v1(buffer);
    EXPECT_EQ(cleared.at(0), 0);
    EXPECT_EQ(buffer.at(0), 1);  // clearing leaves the buffer
    Tensor fresh = FloatStatusRegister::alloc();
    (void)status_.get_v1(fresh);
    EXPECT_EQ(fresh.at(0), 0);
}

TEST_F(FloatStatusOf910A, an_exact_65504_is_no_overflow) {
    EXPECT_EQ(npu_.call("add_Tensor", {half(32752), half(32752)}).tensor().at(0), 65504);
    EXPECT_EQ(npu_.call("mul_Tensor", {half(65504), half(1)}).tensor().at(0), 65504);
    EXPECT_FALSE(status_.set());
}

TEST_F(FloatStatusOf910A, an_inherited_inf_is_no_overflow_unless_inputs_count) {
    ChipOptions options;
    options.status_inputs_nan = true;
    FloatStatusRegister counting(options);
    npu_.attach(counting);
    (void)npu_.call("add_Tensor", {half(INFINITY), half(1)});
    EXPECT_FALSE(status_.set());
    EXPECT_TRUE(counting.set());
    EXPECT_EQ(status_.bits(), FloatStatus::kVectorInputNonFinite);
    npu_.detach(counting);
}

TEST_F(FloatStatusOf910A, underflow_alone_does_not_set_it) {
    (void)npu_.call("mul_Tensor", {half(0x1p-24f), half(0.5f)});
    EXPECT_EQ(status_.bits(), FloatStatus::kUnderflow);
    EXPECT_FALSE(status_.set());
}

TEST_F(FloatStatusOf910A, float32_overflow_gives_inf_and_bit_5) {
    const Tensor largest = Tensor::from<float>({1}, {std::bit_cast<float>(0x7F7FFFFFu)});
    const Tensor sum = npu_.call("add_Tensor", {largest, largest});
    EXPECT_EQ(std::bit_cast<uint32_t>(sum.as<float>()[0]), 0x7F800000u);
    EXPECT_EQ(status_.bits(), uint64_t{1} << 5);
}

TEST(FloatStatusV2, gives_word_0_of_eight) {
    const std::vector<std::string> saturating = {"overflow_mode=sat"};
    Executor npu(Device::npu(chip("910B"), saturating));
    FloatStatusRegister status;
    npu.attach(status);
    EXPECT_EQ(status.get_v2().at(0), 0);
    (void)npu.call("add_Tensor", {half(40000), half(40000)});
    const Tensor words = status.get_v2();
    EXPECT_EQ(words.dtype(), DType::kInt32);
    EXPECT_NE(words.at(0), 0);
    for (int64_t i = 1; i < 8; ++i)
        EXPECT_EQ(words.at(i), 0);
    status.clear_v2();
    EXPECT_EQ(status.get_v2().at(0), 0);
    npu.detach(status);
}

TEST(FloatStatus, rejects_a_buffer_that_is_none) {
    FloatStatusRegister status;
    Tensor wrong = Tensor::zeros(DType::kFloat32, {4});
    EXPECT_THROW((void)status.get_v1(wrong), Error);
    EXPECT_THROW((void)status.clear_v1(Tensor::zeros(DType::kInt32, {8})), Error);
}

}  // namespace
}  // namespace npuscope
