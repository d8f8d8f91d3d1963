#include "core/recording/plain_arguments.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/compare/dumps.h"
#include "tests/support/support.h"

namespace npuscope::compare {
namespace {

/// The differences of one op called with these arguments on either side, as text.
std::string compared(const NamedValues& target,
                     const NamedValues& golden,
                     const std::string& target_op = "some_op",
                     const std::string& golden_op = "some_op") {
    const test::TempDir folder;
    const auto arguments = [&](const char* file, const std::string& op, const NamedValues& inputs) {
        write_dump(folder / file,
                   {{.name = op,
                     .seqid = 1,
                     .inputs = inputs,
                     .outputs = {{"out", vector_of({1, 2})}},
                     .node = {}}});
        const dumpfile::Reader reader(folder / file);
        return plain_arguments(reader, reader.ops()[0], reader.ops()[0].facts());
    };
    return to_text(differing_arguments(arguments("t.h5", target_op, target),
                                       arguments("g.h5", golden_op, golden)));
}

TEST(PlainText, calls_dtypes_as_dumps_do) {
    EXPECT_EQ(plain_text("torch.bfloat16"), "bfloat16");
    EXPECT_EQ(plain_text("float32"), "float32");
    EXPECT_EQ(plain_text("torch.strided"), "torch.strided");
    EXPECT_EQ(plain_text("torch."), "torch.");
}

TEST(PlainArguments, name_both_values) {
    EXPECT_EQ(compared({{"eps", 0.001}}, {{"eps", 1e-5}}), "eps 0.001, golden 1e-05");
    EXPECT_EQ(compared({{"train", true}, {"dim", int64_t{-1}}, {"keep", true}},
                       {{"train", false}, {"dim", int64_t{1}}, {"keep", true}}),
              "dim -1, golden 1; train true, golden false");
    EXPECT_EQ(compared({{"stride", IntList{1, 1}}, {"dtype", DType::kFloat16}},
                       {{"stride", IntList{2, 2}}, {"dtype", DType::kFloat32}}),
              "dtype float16, golden float32; stride [1,1], golden [2,2]");
    EXPECT_EQ(compared({{"mask", BoolMask{{true, false}}}}, {{"mask", BoolMask{{true, true}}}}),
              "mask [true,false], golden [true,true]");
}

TEST(PlainArguments, are_equal_as_numbers_of_any_kind_and_in_float32) {
    EXPECT_EQ(compared({{"alpha", Scalar{int64_t{1}}}}, {{"alpha", Scalar{1.0}}}), "");
    EXPECT_EQ(compared({{"eps", static_cast<double>(1e-5F)}}, {{"eps", 1e-5}}), "");
    EXPECT_EQ(compared({{"fill", NAN}}, {{"fill", NAN}}), "");
}

TEST(PlainArguments, show_the_digits_that_tell_them_apart) {
    EXPECT_EQ(compared({{"eps", 1.0000002}}, {{"eps", 1.0}}), "eps 1.0000002, golden 1");
}

TEST(PlainArguments, differ_in_length_too_and_are_cut) {
    EXPECT_EQ(compared({{"dim", IntList{}}}, {{"dim", IntList{0}}}), "dim [], golden [0]");
    EXPECT_EQ(compared({{"dim", IntList{1, 2, 3, 4, 5, 6, 7, 8, 9}}}, {{"dim", IntList{0}}}),
              "dim [1,2,3,4,5,6,7,8,…], golden [0]");
}

TEST(PlainArguments, that_one_side_leaves_out_are_no_difference) {
    EXPECT_EQ(compared({{"eps", 0.001}}, {{"momentum", 0.1}}), "");
}

TEST(PlainArguments, are_found_under_their_names_in_an_alias) {
    EXPECT_EQ(
        compared({{"epsilon", 0.001}}, {{"eps", 1e-5}}, "cudnn_batch_norm", "native_batch_norm"),
        "eps 0.001, golden 1e-05");
}

TEST(PlainArguments, that_one_side_alone_gives_are_told_apart) {
    const PlainArgument dim{.name = "dim", .recorded = "dim", .numbers = {1}, .is_whole = true};
    const PlainArgument reduction{.name = "reduction", .recorded = "reduction", .text = "sum"};
    EXPECT_EQ(to_text(one_sided_arguments({dim, reduction}, {dim})),
              "reduction sum, golden not given");
    EXPECT_EQ(to_text(one_sided_arguments({dim}, {dim, reduction})),
              "reduction not given, golden sum");
    EXPECT_TRUE(one_sided_arguments({dim}, {dim}).empty());
}

}  // namespace
}  // namespace npuscope::compare
