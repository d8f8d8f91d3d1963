// Ops that one side splits, casts that one side has more, and where the programs part, in a result.
#include <gtest/gtest.h>

#include "compare/compare.h"
#include "tests/compare/dumps.h"
#include "tests/support/support.h"

namespace npuscope::compare {
namespace {

Tensor filled(const Shape& shape, float first) {
    Tensor tensor(DType::kFloat32, shape);
    float next = first;
    for (float& each : tensor.mutable_as<float>())
        each = next++;
    return tensor;
}

Tensor product(const Tensor& left, const Tensor& right) {
    const int64_t rows = left.dim(0);
    const int64_t inner = left.dim(1);
    const int64_t columns = right.dim(1);
    Tensor result = Tensor::zeros(DType::kFloat32, {rows, columns});
    auto out = result.mutable_as<float>();
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j)
            for (int64_t k = 0; k < inner; ++k)
                out[static_cast<size_t>(i * columns + j)] +=
                    static_cast<float>(left.at(i * inner + k) * right.at(k * columns + j));
    return result;
}

Tensor plus_bias(const Tensor& matrix, const Tensor& bias) {
    Tensor result = matrix;
    auto out = result.mutable_as<float>();
    for (size_t i = 0; i < out.size(); ++i)
        out[i] += bias.as<float>()[i % bias.as<float>().size()];
    return result;
}

/// A linear layer of 6 rows, 4 features in and 3 out, as programs may write it.
class Spans : public testing::Test {
  protected:
    DumpedOp relu() { return {"relu", 0, {{"self", x_}}, {{"result", x_}}, {}, ""}; }
    DumpedOp addmm() {
        return {"addmm",
                0,
                {{"self", bias_}, {"mat1", x_}, {"mat2", weight_}},
                {{"result", sum_}},
                {},
                ""};
    }
    std::vector<DumpedOp> mm_and_add(const Shape& shape = {6, 3}) {
        return {
            {"mm", 0, {{"self", x_}, {"mat2", weight_}}, {{"result", matrix_}}, {}, ""},
            {"add_Tensor",
             0,
             {{"self", matrix_.reshaped(shape)}, {"other", bias_}, {"alpha", Scalar{int64_t{1}}}},
             {{"result", sum_.reshaped(shape)}},
             {},
             ""}};
    }
    DumpedOp linear() {
        Tensor transposed(DType::kFloat32, {3, 4});
        for (int64_t i = 0; i < 3; ++i)
            for (int64_t j = 0; j < 4; ++j)
                transposed.mutable_as<float>()[static_cast<size_t>(i * 4 + j)] =
                    static_cast<float>(weight_.at(j * 3 + i));
        return {"linear",
                0,
                {{"input", x_.reshaped({2, 3, 4})}, {"weight", transposed}, {"bias", bias_}},
                {{"result", sum_.reshaped({2, 3, 3})}},
                {},
                ""};
    }
    DumpedOp exp() { return {"exp", 0, {{"self", sum_}}, {{"result", sum_}}, {}, ""}; }
    DumpedOp cast(const std::string& name = "_to_copy") {
        return {name, 0, {{"self", sum_}}, {{"result", sum_}}, {}, ""};
    }

    Result compared(const std::vector<DumpedOp>& target, const std::vector<DumpedOp>& golden) {
        write_dump(folder_ / "t.h5", numbered(target));
        write_dump(folder_ / "g.h5", numbered(golden), dumpfile::kDeviceCpu);
        return compare_dumps(dumpfile::Reader(folder_ / "t.h5"),
                             dumpfile::Reader(folder_ / "g.h5"));
    }

    static std::vector<DumpedOp> numbered(std::vector<DumpedOp> ops) {
        for (size_t i = 0; i < ops.size(); ++i)
            ops[i].seqid = static_cast<int64_t>(i + 1);
        return ops;
    }

    /// relu, the layer, exp.
    std::vector<DumpedOp> around(const std::vector<DumpedOp>& layer) {
        std::vector<DumpedOp> ops = {relu()};
        ops.insert(ops.end(), layer.begin(), layer.end());
        ops.push_back(exp());
        return ops;
    }

    test::TempDir folder_;
    Tensor x_ = filled({6, 4}, -5);
    Tensor weight_ = filled({4, 3}, -2);
    Tensor bias_ = filled({3}, 7);
    Tensor matrix_ = product(x_, weight_);
    Tensor sum_ = plus_bias(matrix_, bias_);
};

std::vector<std::string> arguments_of(const OpResult& op) {
    std::vector<std::string> arguments;
    for (const TensorResult& tensor : op.tensors)
        arguments.push_back(tensor.argument);
    return arguments;
}

TEST_F(Spans, pair_a_split_target_with_what_computes_both) {
    const Result result = compared(around(mm_and_add()), around({addmm()}));
    EXPECT_EQ(result.exit_code(), 0);
    ASSERT_EQ(result.ops.size(), 3u);
    const OpResult& op = result.ops[1];
    EXPECT_EQ(op.target, "/add_Tensor/3");
    EXPECT_EQ(op.also_target, std::vector<std::string>{"/mm/2"});
    EXPECT_EQ(op.golden, "/addmm/2");
    EXPECT_EQ(op.match, "name, mm + add_Tensor as addmm");
    EXPECT_EQ(op.judgement.verdict, Verdict::kPass);
    EXPECT_EQ(arguments_of(op), (std::vector<std::string>{"mat2", "mat1", "self", "result"}));
    EXPECT_EQ(result.counts.only_target, 0);
    EXPECT_TRUE(result.partings.empty());
}

TEST_F(Spans, pair_a_split_golden_with_what_computes_both) {
    const Result result = compared(around({addmm()}), around(mm_and_add({2, 3, 3})));
    EXPECT_EQ(result.exit_code(), 0);
    ASSERT_EQ(result.ops.size(), 3u);
    EXPECT_EQ(result.ops[1].target, "/addmm/2");
    EXPECT_EQ(result.ops[1].golden, "/add_Tensor/3");
    EXPECT_EQ(result.ops[1].also_golden, std::vector<std::string>{"/mm/2"});
    EXPECT_EQ(result.ops[1].match, "name, addmm as mm + add_Tensor");
}

TEST_F(Spans, still_compare_weights_and_results) {
    std::vector<DumpedOp> split = mm_and_add();
    split[0].inputs[1].value = filled({4, 3}, -1);
    split[1].outputs[0].value = matrix_;
    const Result result = compared(around(split), around({addmm()}));
    EXPECT_EQ(result.exit_code(), 1);
    const OpResult& op = result.ops[1];
    EXPECT_EQ(op.tensors[0].argument, "mat2");
    EXPECT_EQ(op.tensors[0].judgement.verdict, Verdict::kFail);
    EXPECT_EQ(op.tensors[3].judgement.verdict, Verdict::kFail);
}

TEST_F(Spans, see_linear_as_addmm_or_its_parts) {
    const Result one = compared(around({linear()}), around({addmm()}));
    EXPECT_EQ(one.exit_code(), 0);
    ASSERT_EQ(one.ops.size(), 3u);
    EXPECT_EQ(one.ops[1].golden, "/addmm/2");
    EXPECT_EQ(arguments_of(one.ops[1]), (std::vector<std::string>{"self", "mat1", "result"}));
    EXPECT_FALSE(one.ops[1].shapes_differ);
    const Result two = compared(around(mm_and_add({2, 3, 3})), around({linear()}));
    EXPECT_EQ(two.exit_code(), 0);
    EXPECT_EQ(two.ops.size(), 3u);
    EXPECT_EQ(two.ops[1].match, "name, mm + add_Tensor as linear");
}

TEST_F(Spans, compare_inputs_that_hold_the_same_rows) {
    // What a split layer's backward pass adds up.
    const Tensor gradient = filled({6, 3}, 1);
    const auto sum = [&](const Shape& shape) {
        return DumpedOp{"sum_dim_IntList",
                        0,
                        {{"self", gradient.reshaped(shape)}},
                        {{"result", filled({1, 3}, 5)}},
                        {},
                        ""};
    };
    const Result result = compared(around({sum({2, 3, 3})}), around({sum({6, 3})}));
    EXPECT_EQ(result.exit_code(), 0);
    EXPECT_EQ(result.ops[1].tensors[0].judgement.verdict, Verdict::kPass);
    const Result other = compared(around({sum({3, 6})}), around({sum({6, 3})}));
    EXPECT_EQ(other.ops[1].tensors[0].judgement.verdict, Verdict::kIncomparable);
}

TEST_F(Spans, pair_two_split_layers_op_by_op) {
    const Result result = compared(around(mm_and_add()), around(mm_and_add()));
    ASSERT_EQ(result.ops.size(), 4u);
    EXPECT_TRUE(result.ops[2].also_target.empty());
    EXPECT_EQ(result.exit_code(), 0);
}

TEST_F(Spans, tell_a_layer_that_lacks_its_bias) {
    const std::vector<DumpedOp> split = mm_and_add();
    const Result result = compared(around({split[0]}), around(split));
    EXPECT_EQ(result.exit_code(), 1);
    ASSERT_EQ(result.partings.size(), 1u);
    EXPECT_EQ(result.partings[0].text, "the programs part here: golden has add_Tensor more");
    EXPECT_EQ(result.partings[0].only_golden, std::vector<std::string>{"/add_Tensor/3"});
    EXPECT_EQ(result.partings[0].after, "/mm/2");
    EXPECT_EQ(result.ops[static_cast<size_t>(result.partings[0].op)].golden, "/add_Tensor/3");
}

TEST_F(Spans, see_through_a_bias_that_is_added_to_a_convolution) {
    const Tensor x = filled({1, 2, 3, 3}, -4);
    const Tensor weight = filled({2, 2, 1, 1}, 1);
    const Tensor bias = filled({2}, 3);
    const Tensor plain = filled({1, 2, 3, 3}, 9);
    Tensor sum = plain;
    for (size_t i = 0; i < 18; ++i)
        sum.mutable_as<float>()[i] += bias.as<float>()[i / 9];
    const DumpedOp whole = {"convolution",
                            0,
                            {{"input", x}, {"weight", weight}, {"bias", bias}},
                            {{"result", sum}},
                            {},
                            ""};
    const DumpedOp part = {
        "conv2d", 0, {{"input", x}, {"weight", weight}}, {{"result", plain}}, {}, ""};
    const DumpedOp addition = {"add_Tensor",
                               0,
                               {{"self", plain}, {"other", bias.reshaped({1, 2, 1, 1})}},
                               {{"result", sum}},
                               {},
                               ""};
    const Result result = compared(around({part, addition}), around({whole}));
    EXPECT_EQ(result.exit_code(), 0);
    ASSERT_EQ(result.ops.size(), 3u);
    EXPECT_EQ(result.ops[1].match, "name, conv2d + add_Tensor as convolution");
    EXPECT_EQ(arguments_of(result.ops[1]),
              (std::vector<std::string>{"input", "weight", "bias", "result"}));
    // Without the addition it is another layer.
    const Result lacking = compared(around({part}), around({whole}));
    EXPECT_EQ(lacking.ops[1].golden, "/convolution/2");
    EXPECT_EQ(lacking.exit_code(), 1);
}

TEST_F(Spans, count_casts_that_one_side_has_more) {
    const std::vector<DumpedOp> split = mm_and_add();
    const Result result = compared(
        around({split[0], cast("npu_dtype_cast"), split[1], cast("clone")}), around({addmm()}));
    EXPECT_EQ(result.exit_code(), 0);
    EXPECT_EQ(result.ops.size(), 3u);
    EXPECT_EQ(result.counts.casts_only_target, 2);
    EXPECT_EQ(result.counts.casts_only_golden, 0);
    EXPECT_TRUE(result.partings.empty());
    // Casts of both sides are compared as any op.
    const Result both = compared(around({cast()}), around({cast("npu_dtype_cast")}));
    EXPECT_EQ(both.ops.size(), 3u);
    EXPECT_EQ(both.counts.casts_only_target, 0);
}

TEST_F(Spans, tell_where_programs_part) {
    std::vector<DumpedOp> target = around({addmm(), relu(), relu()});
    target[2].facts = R"({"module": "act", "line": "/home/me/net.py:23"})";
    const Result result = compared(target, around({addmm()}));
    ASSERT_EQ(result.partings.size(), 1u);
    const PartingResult& parting = result.partings[0];
    EXPECT_EQ(parting.text, "the programs part here: target has relu x2 more (act, net.py:23)");
    EXPECT_EQ(parting.only_target.size(), 2u);
    EXPECT_EQ(parting.module, "act");
    EXPECT_EQ(parting.line, "/home/me/net.py:23");
    EXPECT_EQ(result.ops[static_cast<size_t>(parting.op)].target, parting.only_target[0]);
    EXPECT_EQ(result.counts.only_target, 2);
    EXPECT_EQ(result.ops[static_cast<size_t>(parting.op)].judgement.verdict,
              Verdict::kMissingGolden);
}

}  // namespace
}  // namespace npuscope::compare
