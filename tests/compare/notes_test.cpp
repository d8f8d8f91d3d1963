// What is odd about two files is told in a line each, before any finding: Result::notes.
#include <cmath>

#include <gtest/gtest.h>

#include "compare/files.h"
#include "tests/compare/compared_programs.h"
#include "tests/compare/dumps.h"
#include "tests/support/support.h"

namespace npuscope::compare {
namespace {

using Notes = std::vector<std::string>;

/// Five ops, each on the result of the one before; the first element that the program is given.
std::vector<DumpedOp> five_ops(float first, float noise = 0) {
    std::vector<float> values = {first, 2, 3, 5};
    std::vector<DumpedOp> ops;
    int64_t seqid = 0;
    for (const char* name : {"relu", "exp", "sin", "cos", "abs"}) {
        std::vector<float> next;
        for (const float value : values)
            next.push_back(value * 1.25F + static_cast<float>(seqid) + noise);
        ops.push_back(unary(name, ++seqid, values, next));
        values = next;
    }
    return ops;
}

struct Side {
    std::vector<DumpedOp> ops;
    int device = dumpfile::kDeviceCpu;
};

Result noted(const Side& target, const Side& golden) {
    const test::TempDir folder;
    write_dump(folder / "t.h5", target.ops, target.device);
    write_dump(folder / "g.h5", golden.ops, golden.device);
    WrittenSplitter splitter;
    Options options;
    options.splitter = &splitter;
    return compare_files(folder / "t.h5", folder / "g.h5", PrecisionBounds(), options);
}

TEST(Notes, are_none_for_an_ordinary_pair) {
    EXPECT_EQ(noted({five_ops(1, 1e-7F), dumpfile::kDeviceNpu}, {five_ops(1)}).notes, Notes{});
}

TEST(Notes, tell_sides_that_are_swapped) {
    EXPECT_EQ(
        noted({five_ops(1, 1e-7F)}, {five_ops(1), dumpfile::kDeviceNpu}).notes,
        Notes{"the sides seem to be swapped: the golden was recorded on an NPU, the target on "
              "a CPU"});
}

TEST(Notes, tell_one_file_twice) {
    const Result result = noted({five_ops(1)}, {five_ops(1)});
    EXPECT_EQ(result.notes,
              Notes{"both files hold the same elements in all 10 tensors: one may be a copy of the "
                    "other"});
    EXPECT_EQ(result.exit_code(), 0);
}

TEST(Notes, tell_another_models_dump) {
    std::vector<DumpedOp> other = five_ops(7);
    for (DumpedOp& op : other)
        op.name = "un" + op.name;
    const Result result = noted({other}, {five_ops(1)});
    EXPECT_EQ(result.notes,
              Notes{"these seem to be two models: 0 of the target's 5 ops have a partner among the "
                    "golden's 5"});
    EXPECT_EQ(result.exit_code(), 2) << "nothing follows from the rest";
}

TEST(Notes, tell_a_recording_that_ends_long_before_the_other) {
    std::vector<DumpedOp> longer = five_ops(1);
    for (int64_t seqid = 6; seqid < 26; ++seqid) {
        const auto x = static_cast<float>(seqid);
        longer.push_back({.name = "neg",
                          .seqid = seqid,
                          .inputs = {{"self", test::floats({2}, {x, 1})}},
                          .outputs = {{"result", test::floats({2}, {-x, -1})}},
                          .node = {}});
    }
    const auto note = [](const std::string& one, const std::string& other) {
        return Notes{"the " + one + "'s recording ends 20 ops before the " + other +
                     "'s, behind /abs/5: was it cut off, or was a part of the step recorded?"};
    };
    const std::vector<DumpedOp> target = five_ops(1, 1e-7F);
    EXPECT_EQ(noted({target}, {longer}).notes, note("target", "golden"));
    EXPECT_EQ(noted({longer}, {target}).notes, note("golden", "target"));
    // A metric at the end is no cut.
    longer.resize(8);
    EXPECT_EQ(noted({target}, {longer}).notes, Notes{});
}

TEST(Notes, tell_nan_in_what_a_program_was_given) {
    const Result result = noted({five_ops(NAN)}, {five_ops(1)});
    ASSERT_FALSE(result.notes.empty());
    EXPECT_EQ(result.notes.front(),
              "the target was given NaN: 1 of 4 elements of /relu/1/input/self");
}

}  // namespace
}  // namespace npuscope::compare
