#include <gtest/gtest.h>

#include "core/base/error.h"
#include "npu_backend/executor.h"
#include "tests/npu_backend/op_rows.h"

namespace npuscope {
namespace {

Tensor convolved(Executor& executor, const Tensor& x, const Tensor& weight) {
    const IntList one = {1, 1};
    const IntList none = {0, 0};
    return executor
        .call("convolution", {x, weight, Value{}, one, none, one, false, none, int64_t{1}})
        .tensor();
}

TEST(ConvolutionOfIntegers, gives_int32_on_every_device) {
    const Tensor x = Tensor::from<int8_t>({1, 1, 1, 3}, {-128, 127, 2});
    const Tensor weight = Tensor::from<int8_t>({1, 1, 1, 2}, {-128, 127});
    const Tensor expected = Tensor::from<int32_t>({1, 1, 1, 2}, {32513, -16002});
    Executor reference(Device::reference64());
    EXPECT_TRUE(identical(convolved(reference, x, weight), expected));
    for (const Chip& row : all_chips()) {
        Executor npu(row);
        EXPECT_TRUE(identical(convolved(npu, x, weight), expected)) << row.name;
    }
}

TEST(ConvolutionOfIntegers, rejects_uint8_where_the_cube_takes_none) {
    const Tensor x = Tensor::from<uint8_t>({1, 1, 1, 1}, {200});
    Executor old(chip("910A"));
    EXPECT_EQ(convolved(old, x, x).at(0), 40000);
    Executor npu(chip("910B"));
    try {
        (void)convolved(npu, x, x);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
        EXPECT_NE(std::string(error.what()).find("chip 910B does not take uint8 with uint8"),
                  std::string::npos)
            << error.what();
    }
}

}  // namespace
}  // namespace npuscope

NPUSCOPE_TEST_OPS(convolutions, Convolutions);
