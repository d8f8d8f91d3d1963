// Against PyTorch 1.13, in float64: the formula by its ops, gradients by autograd.
#include "core/base/error.h"
#include "diagnose/judge/npu_attention.h"
#include "tests/diagnose/judge/made_by_fused.h"

namespace npuscope::diagnose {
namespace {

using test::expect_near;
using test::floats;
using test::made_by_fused;

/// Two places, one sample, two heads of width 1 that share one head of keys.
NamedValues small_attention() {
    return {{"query", floats({2, 1, 2}, {1, 2, 3, -1})},
            {"key", floats({2, 1, 1}, {0.5F, -0.25F})},
            {"value", floats({2, 1, 1}, {1, 2})},
            {"head_num", int64_t{2}},
            {"input_layout", std::string("SBH")}};
}

NamedValues with(NamedValues values, const NamedValues& more) {
    values.insert(values.end(), more.begin(), more.end());
    return values;
}

Tensor attended(const NamedValues& more) {
    return made_by_fused("npu_fusion_attention",
                         with(with(small_attention(), {{"scale", 2.0}}), more))[0];
}

std::vector<Tensor> gradients(const NamedValues& more) {
    return made_by_fused(
        "npu_fusion_attention_grad",
        with(with(small_attention(),
                  {{"scale_value", 2.0}, {"dy", floats({2, 1, 2}, {1, 0, 2, -1})}}),
             more));
}

Tensor above_diagonal() {
    Tensor mask = Tensor::zeros(DType::kUInt8, {2, 2});
    mask.mutable_as<uint8_t>()[1] = 1;
    return mask;
}

TEST(NpuAttention, shares_the_heads_of_keys) {
    expect_near(attended({}), {2, 1, 2}, {1.1824255F, 1.0474259F, 1.0109869F, 1.8175745F});
    const auto made = gradients({});
    ASSERT_EQ(made.size(), 3);
    expect_near(made[0], {2, 1, 2}, {-0.2237197F, 0, -0.0325987F, 0.2237197F});
    expect_near(made[1], {2, 1, 1}, {-0.7269806F, 0.7269806F});
    expect_near(made[2], {2, 1, 1}, {2.6131751F, -0.6131751F});
}

TEST(NpuAttention, leaves_out_what_its_mode_says) {
    const std::vector<float> causal = {1, 1, 1.0109869F, 1.8175745F};
    expect_near(attended({{"atten_mask", above_diagonal()}}), {2, 1, 2}, causal);
    for (const int64_t mode : {2, 3})
        expect_near(attended({{"sparse_mode", mode}}), {2, 1, 2}, causal);
    expect_near(
        attended({{"sparse_mode", int64_t{4}}, {"next_tockens", int64_t{0}}}), {2, 1, 2}, causal);
    const Tensor none = Tensor::zeros(DType::kBool, {2, 2});
    expect_near(attended({{"atten_mask", none}, {"next_tockens", int64_t{0}}}), {2, 1, 2}, causal);
    expect_near(
        attended({{"atten_mask", none}, {"next_tockens", int64_t{0}}, {"sparse_mode", int64_t{1}}}),
        {2, 1, 2},
        {1.1824255F, 1.0474259F, 1.0109869F, 1.8175745F});
    expect_near(gradients({{"sparse_mode", int64_t{2}}})[1], {2, 1, 1}, {-0.4286877F, 0.4286877F});
}

TEST(NpuAttention, adds_a_bias_before_the_scale) {
    const NamedValues more = {{"pse", floats({2, 2}, {0, 0.5F, 0.25F, 0})},
                              {"atten_mask", above_diagonal()}};
    expect_near(attended(more), {2, 1, 2}, {1, 1, 1.0066929F, 1.7310586F});
    expect_near(gradients(more)[0], {2, 1, 2}, {0, 0, -0.0199442F, 0.2949179F});
}

TEST(NpuAttention, reads_every_layout) {
    const std::vector<float> made = {1, 3, 2, 4};  // one place of keys: their values
    const auto attend = [&](const char* layout, const Shape& query, const Shape& value) {
        return made_by_fused("npu_fusion_attention",
                             {{"query", floats(query, {1, 1, 1, 1})},
                              {"key", floats(value, {1, 1, 1, 1})},
                              {"value", floats(value, {1, 3, 2, 4})},
                              {"head_num", int64_t{2}},
                              {"input_layout", std::string(layout)}})[0];
    };
    expect_near(attend("BSH", {2, 1, 2}, {2, 1, 2}), {2, 1, 2}, made);
    expect_near(attend("SBH", {1, 2, 2}, {1, 2, 2}), {1, 2, 2}, made);
    expect_near(attend("BSND", {2, 1, 2, 1}, {2, 1, 2, 1}), {2, 1, 2, 1}, made);
    expect_near(attend("BNSD", {2, 2, 1, 1}, {2, 2, 1, 1}), {2, 2, 1, 1}, made);
}

TEST(NpuAttention, tells_layouts_by_their_shapes) {
    using Names = std::vector<std::string_view>;
    const auto layouts = [](const Shape& query, const NamedValues& more) {
        return possible_layouts(with(
            {{"query", Tensor::zeros(DType::kFloat32, query)}, {"head_num", int64_t{4}}}, more));
    };
    const auto zeros = [](const Shape& shape) { return Tensor::zeros(DType::kFloat32, shape); };
    EXPECT_EQ(layouts({2, 4, 16, 8}, {}), Names{"BNSD"});
    EXPECT_EQ(layouts({2, 16, 4, 8}, {}), Names{"BSND"});
    EXPECT_EQ(layouts({2, 4, 4, 8}, {}), (Names{"BSND", "BNSD"}));
    EXPECT_EQ(layouts({2, 16, 32}, {}), (Names{"BSH", "SBH"}));
    EXPECT_EQ(layouts({2, 16, 32}, {{"atten_mask", zeros({16, 16})}}), Names{"BSH"});
    EXPECT_EQ(layouts({16, 2, 32}, {{"pse", zeros({1, 4, 16, 16})}}), Names{"SBH"});
    EXPECT_EQ(layouts({2, 2, 32}, {{"softmax_max", zeros({2, 4, 2, 8})}}), (Names{"BSH", "SBH"}));
    EXPECT_EQ(layouts({3, 2, 32}, {{"softmax_max", zeros({2, 4, 3, 8})}}), Names{"SBH"});
    // Of sparse_mode 2 the mask has a size of its own.
    EXPECT_EQ(layouts({2, 16, 32},
                      {{"atten_mask", zeros({2048, 2048})}, {"sparse_mode", int64_t{2}}}),
              (Names{"BSH", "SBH"}));
}

TEST(NpuAttention, says_what_is_not_computed) {
    EXPECT_THROW((void)attended({{"keep_prob", 0.9}}), Error);
    EXPECT_THROW((void)attended({{"sparse_mode", int64_t{5}}}), Error);
    EXPECT_THROW((void)attended({{"actual_seq_qlen", IntList{1, 2}}}), Error);
    NamedValues other = small_attention();
    other.back().value = std::string("TND");
    EXPECT_THROW((void)made_by_fused("npu_fusion_attention", other), Error);
}

}  // namespace
}  // namespace npuscope::diagnose
