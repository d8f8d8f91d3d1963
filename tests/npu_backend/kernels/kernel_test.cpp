#include "npu_backend/kernels/kernel.h"

#include <set>

#include <gtest/gtest.h>

namespace npuscope::backend {
namespace {

TEST(KernelTable, has_unique_documented_rows) {
    std::set<std::string_view> types;
    for (const Kernel* row : all_kernels()) {
        EXPECT_TRUE(types.insert(row->type).second) << row->type;
        EXPECT_FALSE(row->formula.empty()) << row->type;
        EXPECT_FALSE(row->dtypes.empty()) << row->type;
        EXPECT_FALSE(row->evidence().empty()) << row->type;
        EXPECT_NE(row->run, nullptr) << row->type;
    }
    EXPECT_GT(types.size(), 50u);
    EXPECT_EQ(find_kernel("Conv4D"), nullptr);
}

}  // namespace
}  // namespace npuscope::backend
