#include "msaccucmp/kernel_dumps/dump_name.h"

#include <gtest/gtest.h>

#include "msaccucmp/base/exit_codes.h"

namespace npuscope::msaccucmp {
namespace {

std::string key_of(const std::string& name) {
    const auto parsed = parse_dump_name(name);
    return parsed ? parsed->key : "none";
}

TEST(DumpName, tells_the_kinds_apart) {
    EXPECT_EQ(parse_dump_name("Add.a_1.3.2.1700000000000001")->kind, DumpKind::kOffline);
    EXPECT_EQ(parse_dump_name("a.b.0.17.npy")->kind, DumpKind::kNumpy);
    EXPECT_EQ(parse_dump_name("a.0.17.pb")->kind, DumpKind::kStandard);
    EXPECT_EQ(parse_dump_name("a.0.17.quant")->kind, DumpKind::kQuant);
}

TEST(DumpName, has_the_op_or_its_output_as_key) {
    EXPECT_EQ(key_of("Add.a-1.3.1700000000000001"), "a-1");
    EXPECT_EQ(key_of("Add.a.3.2.17.4.5.0.1"), "a");
    EXPECT_EQ(key_of("x.y.2.17.npy"), "x.y.2");
    EXPECT_EQ(key_of("x.2.17.pb"), "x.2");
}

TEST(DumpName, rejects_other_names) {
    for (const char* name : {"readme.txt",
                             "Add.a.x.2.17",
                             "Add..3.2.17",
                             "Add.a.3",
                             "x.17.npy",
                             "x.y.17.pb.gz",
                             ".0.17.pb",
                             "x.0.t.npy",
                             "Add.a b.3.2.17",
                             "x.y.0.17.pb"})
        EXPECT_EQ(key_of(name), "none") << name;
}

TEST(DumpName, loses_its_marks_of_slices_and_subgraphs) {
    EXPECT_EQ(without_slice_marks("mul_lxslice0", false), "mul");
    EXPECT_EQ(without_slice_marks("x_lxslice2_y", false), "x_lxslice2_y");
    EXPECT_EQ(without_slice_marks("x_lxslice2_y", true), "x_y");
    EXPECT_EQ(without_slice_marks("p_sgt_graph_0_sgt_graph_12_add", false), "add");
    EXPECT_EQ(without_slice_marks("p_sgt_graph_0", false), "p_sgt_graph_0");
    EXPECT_EQ(without_slice_marks("plain", false), "plain");
    EXPECT_EQ(without_slices("a_lxslice1_b_lxslice23"), "a_b");
    EXPECT_EQ(without_slices("a_lxslice"), "a_lxslice");
}

TEST(DumpName, says_how_the_task_was_cut) {
    EXPECT_EQ(task_mode_of("Add.a.3.2.17"), TaskMode::kNormal);
    EXPECT_EQ(task_mode_of("Add.a.3.2.17.0.5.0.0"), TaskMode::kNormal);
    EXPECT_EQ(task_mode_of("Add.a.3.2.17.4.5.0.0"), TaskMode::kAutomatic);
    EXPECT_EQ(task_mode_of("Add.a_lxslice1.3.2.17.4.5.0.0"), TaskMode::kManual);
    try {
        static_cast<void>(task_mode_of("Add.a.3.2.17.7.5.0.0"));
        FAIL();
    } catch (const CommandError& stop) {
        EXPECT_EQ(stop.code(), kInvalidTaskType);
    }
}

TEST(DumpName, has_a_time_of_sixteen_digits_or_none) {
    EXPECT_EQ(timestamp_of("Add.a.3.2.1700000000000001", TaskMode::kNormal), 1700000000000001);
    EXPECT_EQ(timestamp_of("Add.a.3.2.123", TaskMode::kNormal), 0);
    EXPECT_EQ(timestamp_of("a.0.1700000000000001.npy", TaskMode::kNormal), 1700000000000001);
    EXPECT_EQ(timestamp_of("Add.a.3.2.1700000000000001.0.5.0.0", TaskMode::kNormal), 0);
    EXPECT_EQ(timestamp_of("Add.a.3.2.1700000000000001.4.5.0.0", TaskMode::kAutomatic),
              1700000000000001);
    EXPECT_EQ(part_of("Add.a.3.2.17.4.5.12.0", TaskMode::kAutomatic), 12);
    EXPECT_EQ(part_of("Add.a_lxslice7.3.2.17.4.5.12.0", TaskMode::kManual), 7);
}

TEST(DumpName, begins_with_the_type) {
    EXPECT_EQ(op_type_of("Conv2D.a.3.2.17"), "Conv2D");
    EXPECT_EQ(op_type_of("1001"), "NaN");
}

}  // namespace
}  // namespace npuscope::msaccucmp
