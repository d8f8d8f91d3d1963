#include "core/naming/casts.h"

#include <gtest/gtest.h>

namespace npuscope {
namespace {

TEST(Casts, are_copies_and_views_but_nothing_that_computes) {
    for (const char* op :
         {"clone", "_to_copy", "copy_", "npu_format_cast", "view", "transpose_int"})
        EXPECT_TRUE(is_cast(op)) << op;
    for (const char* op : {"mm", "add_Tensor", "cat", "index_select", ""})
        EXPECT_FALSE(is_cast(op)) << op;
}

}  // namespace
}  // namespace npuscope
