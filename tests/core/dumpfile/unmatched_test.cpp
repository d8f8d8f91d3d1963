#include "core/dumpfile/unmatched.h"

#include <gtest/gtest.h>

namespace npuscope::dumpfile {
namespace {

UnmatchedOp op_of(int64_t seqid, const std::string& why = "no run that is left fits") {
    UnmatchedOp op{
        .id = {"addmm", seqid}, .after = "/relu/3", .why = why, .argument = "alpha", .source = {}};
    op.source = {.node = "n", .module = "fc", .line = "net.py:4", .autograd = "AddmmBackward0"};
    return op;
}

TEST(Unmatched, comes_back_from_the_text_that_is_written) {
    UnmatchedOp bare;
    bare.id = {"exp", 7};
    const std::string text = to_json(std::vector<UnmatchedOp>{op_of(5), bare});
    EXPECT_EQ(text,
              R"([{"op":"addmm","seqid":5,"after":"/relu/3","why":"no run that is left fits",)"
              R"("argument":"alpha","node":"n","module":"fc","line":"net.py:4",)"
              R"("autograd":"AddmmBackward0"},{"op":"exp","seqid":7}])");
    const std::vector<UnmatchedOp> read = parse_unmatched(text);
    ASSERT_EQ(read.size(), 2u);
    EXPECT_EQ(read[0].id.path(), "/addmm/5");
    EXPECT_EQ(read[0].after, "/relu/3");
    EXPECT_EQ(read[0].argument, "alpha");
    EXPECT_EQ(read[0].source.autograd, "AddmmBackward0");
    EXPECT_EQ(read[1].id.path(), "/exp/7");
    EXPECT_EQ(read[1].why, "");
    EXPECT_EQ(to_json(read), text);
    EXPECT_EQ(to_json(std::vector<UnmatchedOp>{}), "[]");
}

// HDF5 keeps at most 64 KB in an attribute.
TEST(Unmatched, leaves_out_the_last_that_no_longer_fit) {
    std::vector<UnmatchedOp> ops;
    for (int64_t seqid = 0; seqid < 100; ++seqid)
        ops.push_back(op_of(seqid, std::string(1000, 'x')));
    const std::string text = to_json(ops);
    EXPECT_LT(text.size(), 64000u);
    const std::vector<UnmatchedOp> read = parse_unmatched(text);
    EXPECT_GT(read.size(), 30u);
    EXPECT_LT(read.size(), 100u);
    EXPECT_EQ(read.back().id.seqid, static_cast<int64_t>(read.size()) - 1);
}

TEST(Unmatched, leaves_out_rows_that_are_no_such_ops) {
    for (const char* text : {"",
                             "no json",
                             "{}",
                             "3",
                             R"(["a",1,null])",
                             R"([{"op":"exp"}])",
                             R"([{"op":"","seqid":1}])",
                             R"([{"op":3,"seqid":1}])",
                             R"([{"op":"exp","seqid":"1"}])",
                             R"([{"op":"exp","seqid":1.5}])"})
        EXPECT_TRUE(parse_unmatched(text).empty()) << text;
    const auto read = parse_unmatched(R"([7,{"op":"exp","seqid":1,"why":2}])");
    ASSERT_EQ(read.size(), 1u);
    EXPECT_EQ(read[0].why, "");
}

}  // namespace
}  // namespace npuscope::dumpfile
