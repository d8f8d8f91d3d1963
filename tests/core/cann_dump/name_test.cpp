#include "core/cann_dump/name.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/support/support.h"

namespace npuscope::cann_dump {
namespace {

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

}  // namespace
}  // namespace npuscope::cann_dump
