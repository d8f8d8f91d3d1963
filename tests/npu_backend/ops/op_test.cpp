#include "npu_backend/ops/op.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "npu_backend/kernels/kernel.h"
#include "tests/npu_backend/op_rows.h"

namespace npuscope::backend {

namespace {

TEST(OpTable, has_unique_documented_rows) {
    std::set<std::string> names;
    for (const Op& op : all_ops()) {
        EXPECT_TRUE(names.insert(op.name()).second) << op.name();
        EXPECT_FALSE(op.schema.results.empty()) << op.name();
        const std::string_view source = op.row->source;
        EXPECT_TRUE(source == "spec" || source == "table" || source == "indirect" ||
                    source == "ours")
            << op.name();
        EXPECT_NE(op.row->lower, nullptr) << op.name();
    }
}

TEST(OpTable, every_row_has_a_recorded_case) {
    const std::set<std::string> recorded = npuscope::test::ops_with_cases();
    // Random ops have no recorded results; randoms_test.cpp holds their distributions.
    const std::vector<std::string> random = npuscope::test::names_of(randoms_ops());
    for (const Op& op : all_ops())
        EXPECT_TRUE(recorded.contains(op.name()) || std::ranges::count(random, op.name()) != 0)
            << op.name();
}

TEST(OpTable, launches_kernels_that_exist) {
    std::set<std::string_view> launched;
    for (const Op& op : all_ops()) {
        for (const std::string_view kernel : op.launches) {
            EXPECT_NE(find_kernel(kernel), nullptr) << op.name() << " launches " << kernel;
            launched.insert(kernel);
        }
    }
    for (const Kernel* kernel : all_kernels())
        EXPECT_TRUE(launched.contains(kernel->type)) << kernel->type << " is launched by no op";
}

TEST(KernelTable, every_row_is_launched_by_a_recorded_case) {
    // Random kernels have no recorded results; randoms_test.cpp holds their distributions.
    const std::set<std::string> others = {"Bernoulli",
                                          "DropOutGenMask",
                                          "Normal",
                                          "RandomUniformInt",
                                          "StatelessRandperm",
                                          "Uniform"};
    const std::set<std::string> launched = npuscope::test::kernels_of_cases();
    for (const Kernel* kernel : all_kernels())
        EXPECT_NE(launched.contains(std::string(kernel->type)),
                  others.contains(std::string(kernel->type)))
            << kernel->type;
}

TEST(OpTable, says_the_launches_in_words) {
    EXPECT_EQ(find_op("exp")->launches_text(), "Exp");
    EXPECT_EQ(find_op("view")->launches_text(), "none");
    EXPECT_EQ(find_op("add_Tensor")->launches_text(), "Add, or Axpy when alpha is not 1");
    EXPECT_EQ(find_op("add__Tensor")->launches_text(), "Add, or Axpy when alpha is not 1");
    EXPECT_EQ(find_op("glu")->launches_text(), "Sigmoid, Mul");
}

TEST(OpTable, finds_the_nearest_name) {
    EXPECT_EQ(nearest_op_name("rellu"), "relu");
    EXPECT_EQ(nearest_op_name("convolutions"), "convolution");
    EXPECT_EQ(find_op("rellu"), nullptr);
}

}  // namespace
}  // namespace npuscope::backend
