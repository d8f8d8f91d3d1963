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

TEST(Casts, copy_what_they_are_given_where_they_make_no_room_and_show_no_part) {
    for (const char* op : {"clone", "_to_copy", "copy_", "npu_format_cast"})
        EXPECT_TRUE(is_copy(op)) << op;
    for (const char* op : {"new_zeros", "as_strided_", "view", "transpose_int", "mm"})
        EXPECT_FALSE(is_copy(op)) << op;
}

}  // namespace
}  // namespace npuscope
