#include "core/cann_dump/name.h"

#include <string>

#include <gtest/gtest.h>

#include "core/cann_dump/dump_error.h"
#include "tests/support/support.h"

namespace npuscope::cann_dump {
namespace {

std::string key_of(const std::string& name) {
    const auto parsed = parse_dump_name(name);
    return parsed ? parsed->key : "none";
}

TEST(FileName, joins_fields_and_replaces_what_a_name_cannot_have) {
    FileNameFields fields{.op_type = "Conv2D",
                          .op_name = "scope/layer.1 a\\b",
                          .task_id = 12,
                          .stream_id = 3,
                          .timestamp = 1700000000000001,
                          .ffts = {}};
    EXPECT_EQ(file_name(fields), "Conv2D.scope_layer_1_a_b.12.3.1700000000000001");
    fields.ffts = {4, 7, 0, 1};
    EXPECT_EQ(file_name(fields), "Conv2D.scope_layer_1_a_b.12.3.1700000000000001.4.7.0.1");
    fields.stream_id.reset();
    fields.ffts.reset();
    fields.op_name = "../../etc/passwd";
    EXPECT_EQ(file_name(fields), "Conv2D.______etc_passwd.12.1700000000000001");
    fields.op_name = "a\nb";
    EXPECT_EQ(file_name(fields), "Conv2D.a_b.12.1700000000000001");
}

TEST(FileName, is_taken_apart_again) {
    for (const std::string name : {"Add.a.1.1700000000000001",
                                   "Add.a.1.2.1700000000000001",
                                   "Add.a.1.1700000000000001.4.7.0.1",
                                   "Add.a.1.2.1700000000000001.4.7.0.1"}) {
        const auto fields = parse_file_name(name);
        ASSERT_TRUE(fields.has_value()) << name;
        EXPECT_EQ(file_name(*fields), name);
    }
    const auto fields = parse_file_name("Add.a.1.2.1700000000000001.4.7.8.1");
    EXPECT_EQ(fields->stream_id, 2u);
    EXPECT_EQ(fields->ffts->context_id, 7u);
    EXPECT_EQ(fields->ffts->thread_id, 8u);
    EXPECT_EQ(fields->timestamp, 1700000000000001u);
}

TEST(FileName, rejects_other_names) {
    for (const std::string name : {"",
                                   "Add",
                                   "Add.a",
                                   "Add.a.1",
                                   "Add..1.2",
                                   ".a.1.2",
                                   "Add.a.1.x",
                                   "Add.a.1.-2",
                                   "Add.a.1.2.3.4",
                                   "Add.a.1.2.3.output.0.npy",
                                   "Add.a.1.99999999999999999999"})
        EXPECT_FALSE(parse_file_name(name).has_value()) << name;
}

TEST(FileName, longer_than_a_file_can_have_becomes_digits) {
    EXPECT_EQ(stored_name(std::string(255, 'n')), std::string(255, 'n'));
    const std::string stored = stored_name(std::string(256, 'n'));
    EXPECT_EQ(stored.find_first_not_of("0123456789"), std::string::npos);
    EXPECT_NE(stored, stored_name(std::string(257, 'n')));
    // 64-bit FNV-1a of "a", from the table of its authors.
    EXPECT_EQ(name_digits("a"), std::to_string(0xaf63dc4c8601ec8cu));
}

TEST(Mapping, is_read_line_by_line) {
    const test::TempDir folder;
    EXPECT_TRUE(read_mapping(folder.path()).empty());
    test::write_file(folder / "mapping.csv",
                     "12,Add.a,b.1.2\r\nnonsense\n34,../evil\n56,Mul.c.1.2");
    const auto names = read_mapping(folder.path());
    EXPECT_EQ(names.size(), 2u);
    EXPECT_EQ(names.at("12"), "Add.a,b.1.2");
    EXPECT_EQ(names.at("56"), "Mul.c.1.2");
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
    } catch (const DumpError& error) {
        EXPECT_EQ(error.problem(), DumpProblem::kTaskType);
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
    EXPECT_FALSE(op_type_of("1001").has_value());
}

}  // namespace
}  // namespace npuscope::cann_dump
