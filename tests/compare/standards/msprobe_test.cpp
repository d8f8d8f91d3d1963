#include <gtest/gtest.h>

#include "tests/compare/standards/scored.h"

namespace npuscope::compare {
namespace {

/// A call with one input and one output, as a recording of functions has it.
Source call(const Tensor& in, const Tensor& out, const std::string& name = "Torch.exp.0.forward") {
    Source source = hand_made({{"exp", {{"self", in}}, {{"0", out}}}});
    source.numbered = false;
    source.ops[0].id = {name, 0};
    source.ops[0].path = name;
    return source;
}

/// The tensors reduced to statistics that a test wrote down.
Source with_norms(Source source, double in, double out, const std::string& hash = "") {
    const auto load = source.ops[0].load;
    source.ops[0].load = [load, in, out, hash] {
        auto tensors = load();
        for (SourceTensor& tensor : tensors) {
            const bool is_input = tensor.direction == dumpfile::Direction::kInput;
            tensor.open = {};
            tensor.statistics = RecordedStatistics{
                .max = 1.0, .min = 0.0, .mean = 0.5, .norm = is_input ? in : out};
            tensor.hash = is_input ? "" : hash;
            if (is_input && !hash.empty()) tensor.hash = "00000001";
        }
        return tensors;
    };
    return source;
}

OpResult by_msprobe(const Source& target, const Source& golden) {
    Options options;
    options.standard.standard = &standard_named("msprobe");
    return compare_sources(target, golden, PrecisionBounds(), options).ops.at(0);
}

const Tensor kIn = numbers(DType::kFloat32, {1, 2, 3, 4});
const Tensor kOut = numbers(DType::kFloat32, {1, 1, 1, 1});

TEST(MsprobeStandard, marks_an_output_that_falls_apart_where_the_inputs_agree) {
    // No element within a thousandth, the cosine as before.
    const OpResult scaled =
        by_msprobe(call(kIn, numbers(DType::kFloat32, {2, 2, 2, 2})), call(kIn, kOut));
    EXPECT_EQ(scaled.tensors.at(1).standard.word, "error");
    EXPECT_EQ(scaled.tensors.at(0).standard.word, "pass");
    EXPECT_EQ(figure(scaled.tensors.at(1).standard, "cosine"), 1);
    EXPECT_EQ(figure(scaled.tensors.at(1).standard, "one_thousandth"), 0);
    // A quarter of the elements within it, the cosine lower by 0.39.
    const OpResult turned =
        by_msprobe(call(kIn, numbers(DType::kFloat32, {4, 0, 0, 1})), call(kIn, kOut));
    EXPECT_EQ(turned.tensors.at(1).standard.word, "warning");
    EXPECT_NEAR(figure(turned.tensors.at(1).standard, "cosine"), 5 / std::sqrt(4.0 * 17), 1e-12);
}

TEST(MsprobeStandard, passes_what_its_inputs_explain) {
    const Tensor other = numbers(DType::kFloat32, {4, -3, 2, -1});
    EXPECT_EQ(by_msprobe(call(other, numbers(DType::kFloat32, {2, 2, 2, 2})), call(kIn, kOut))
                  .standard.word,
              "pass");
}

TEST(MsprobeStandard, marks_infinities_dtypes_and_shapes_of_any_tensor) {
    const Tensor infinite = numbers(DType::kFloat32, {1, 2, 3, kInfinite});
    EXPECT_EQ(by_msprobe(call(infinite, kOut), call(kIn, kOut)).tensors.at(0).standard.word,
              "error");
    EXPECT_EQ(by_msprobe(call(infinite, kOut), call(infinite, kOut)).standard.word, "pass");
    const OpResult half = by_msprobe(call(kIn, kOut.cast(DType::kFloat16)), call(kIn, kOut));
    EXPECT_EQ(half.tensors.at(1).standard.why, "the dtypes differ");
    EXPECT_EQ(by_msprobe(call(kIn, kOut.reshaped({2, 2})), call(kIn, kOut)).standard.word, "error");
}

TEST(MsprobeStandard, passes_over_functions_that_give_out_nothing_computed) {
    const Tensor garbage = numbers(DType::kFloat32, {9, 9, 9, 9});
    const char* name = "Torch.empty_like.0.forward";
    EXPECT_EQ(by_msprobe(call(kIn, garbage, name), call(kIn, kOut, name)).standard.word, "pass");
}

TEST(MsprobeStandard, goes_by_norms_of_statistics) {
    const Source golden = with_norms(call(kIn, kOut), 1, 1);
    EXPECT_EQ(by_msprobe(with_norms(call(kIn, kOut), 1.05, 1.6), golden).standard.word, "error");
    EXPECT_EQ(by_msprobe(with_norms(call(kIn, kOut), 1.01, 1.2), golden).standard.word, "warning");
    EXPECT_EQ(by_msprobe(with_norms(call(kIn, kOut), 1.05, 1.2), golden).standard.word, "pass");
    // Something from nothing.
    EXPECT_EQ(by_msprobe(with_norms(call(kIn, kOut), 1, 1), with_norms(call(kIn, kOut), 1, 0))
                  .standard.word,
              "error");
}

TEST(MsprobeStandard, goes_by_hashes_where_they_were_kept) {
    const Source golden = with_norms(call(kIn, kOut), 1, 1, "0000abcd");
    EXPECT_EQ(by_msprobe(golden, golden).standard.word, "pass");
    EXPECT_EQ(by_msprobe(with_norms(call(kIn, kOut), 1, 1, "0000abce"), golden).standard.word,
              "error");
}

TEST(MsprobeStandard, marks_a_gradient_that_one_side_alone_wants) {
    const auto wanting = [](bool wanted) {
        Source source = call(kIn, kOut);
        const auto load = source.ops[0].load;
        source.ops[0].load = [load, wanted] {
            auto tensors = load();
            tensors[1].requires_grad = wanted;
            return tensors;
        };
        return source;
    };
    EXPECT_EQ(by_msprobe(wanting(true), wanting(false)).standard.word, "error");
    EXPECT_EQ(by_msprobe(wanting(true), wanting(true)).standard.word, "pass");
}

}  // namespace
}  // namespace npuscope::compare
