#include "core/dumpfile/guessed_type.h"

#include <gtest/gtest.h>

#include "core/dumpfile/reader.h"
#include "tests/support/support.h"

namespace npuscope::dumpfile {
namespace {

SaveType guess(const char* argument, DType dtype, const Shape& shape) {
    return guessed_type(Direction::kInput, argument, dtype, shape).value_or(SaveType::kFacts);
}

TEST(GuessedType, goes_by_dtype_and_shape) {
    EXPECT_EQ(guess("self", DType::kFloat32, {}), SaveType::kTensor);
    EXPECT_EQ(guess("eps", DType::kFloat64, {}), SaveType::kFloat);
    EXPECT_EQ(guess("self", DType::kFloat64, {3}), SaveType::kTensor);
    EXPECT_EQ(guess("groups", DType::kInt64, {}), SaveType::kInt);
    EXPECT_EQ(guess("training", DType::kBool, {}), SaveType::kBool);
    EXPECT_EQ(guess("self", DType::kInt64, {2, 3}), SaveType::kTensor);
}

TEST(GuessedType, goes_by_name_where_integers_may_be_either) {
    EXPECT_EQ(guess("stride", DType::kInt64, {2}), SaveType::kIntList);
    EXPECT_EQ(guess("output_mask", DType::kInt8, {3}), SaveType::kBoolMask);
    EXPECT_EQ(guess("target", DType::kInt64, {8}), SaveType::kTensor);
    EXPECT_EQ(guessed_type(Direction::kOutput, "stride", DType::kInt64, {2}), SaveType::kTensor);
    EXPECT_FALSE(guessed_type(Direction::kInput, "text", std::nullopt, {}).has_value());
}

TEST(GuessedType, reads_what_h5py_alone_wrote) {
    const test::TempDir folder;
    const std::string path = (folder / "plain.h5").string();
    const auto made = test::run_python(R"(
import h5py, numpy as np, sys
with h5py.File(sys.argv[1], 'w') as f:
    op = f.create_group('sum_dim_IntList/1')
    op['input/self'] = np.arange(6, dtype='f4').reshape(2, 3)
    op['input/dim'] = np.array([1])
    op['input/keepdim'] = False
    op['output/result'] = np.array([3, 12], dtype='f4')
)",
                                       {path});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    const Reader reader(path);
    ASSERT_EQ(reader.ops().size(), 1u);
    std::string tensors;
    for (const Entry& entry : reader.ops()[0].entries)
        if (entry.is_tensor()) tensors += entry.argument + " ";
    EXPECT_EQ(tensors, "self result ");
}

}  // namespace
}  // namespace npuscope::dumpfile
