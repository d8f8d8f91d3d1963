#include "compare/growth/module_names.h"

#include <gtest/gtest.h>

namespace npuscope::compare {
namespace {

TEST(ModuleNames, NumbersAreLeftOut) {
    EXPECT_EQ(without_numbers("blocks.12.q"), "blocks.#.q");
    EXPECT_EQ(without_numbers("layer3"), "layer#");
    EXPECT_EQ(without_numbers(""), "");
}

TEST(ModuleNames, ProductsAreToldFromNormsActivationsAndTables) {
    for (const char* name : {"blocks.0.q_proj",
                             "layers.3",
                             "features.0",
                             "conv1",
                             "bert.pooler",
                             "attn.in_proj",
                             "addmm",
                             "mm",
                             "lm_head",
                             "net.mlp",
                             "convolution"})
        EXPECT_TRUE(may_hold_products(name)) << name;
    for (const char* name : {"h.0.ln_1",
                             "layer1.0.bn2",
                             "act",
                             "encoder.LayerNorm",
                             "relu",
                             "embed_tokens",
                             "word_embeddings",
                             "wte",
                             "dropout",
                             "maxpool",
                             "add_Tensor",
                             "_softmax",
                             "sum_dim_IntList",
                             "GELU_3"})
        EXPECT_FALSE(may_hold_products(name)) << name;
}

TEST(ModuleNames, ParametersAreToldByAWholeWord) {
    for (const char* name : {"h.0.ln_1.weight", "fc.bias", "bn.running_mean", "dense/kernel"})
        EXPECT_TRUE(names_parameter(name)) << name;
    for (const char* name : {"weighted_sum", "biases", "h.0.ln_1"})
        EXPECT_FALSE(names_parameter(name)) << name;
}

TEST(ModuleNames, ReductionsAndGates) {
    EXPECT_TRUE(names_reduction("sum_dim_IntList"));
    EXPECT_TRUE(names_reduction("loss.mean"));
    EXPECT_FALSE(names_reduction("summary"));
    EXPECT_TRUE(names_gate("threshold_backward"));
    EXPECT_TRUE(names_gate("max_pool2d_with_indices_backward"));
    EXPECT_FALSE(names_gate("mm"));
}

TEST(ModuleNames, GradientsAreNoParameters) {
    for (const char* name : {"fc.weight.grad", "grad.fc.bias", "gradients/dense/kernel"})
        EXPECT_FALSE(names_parameter(name)) << name;
    EXPECT_TRUE(names_parameter("grade.weight"));
    EXPECT_TRUE(names_gradient("fc.weight.grad") && names_gradient("convolution_backward"));
    EXPECT_FALSE(names_gradient("fc.weight"));
}

TEST(ModuleNames, WhatAnOptimizerKeepsIsNoParameter) {
    EXPECT_TRUE(names_state("optimizer.state.0.exp_avg"));
    EXPECT_TRUE(names_state("optim.fc.weight.momentum"));
    EXPECT_FALSE(names_parameter("optim.fc.weight.momentum"));
    EXPECT_FALSE(names_state("net.fc.weight"));
}

TEST(ModuleNames, JumpsHoldNoProducts) {
    EXPECT_TRUE(names_jump("sgn"));
    EXPECT_TRUE(names_jump("div_Tensor"));
    EXPECT_TRUE(names_jump("fake_quantize_per_tensor_affine_cachemask"));
    EXPECT_FALSE(names_jump("assign"));
    EXPECT_FALSE(may_hold_products("sgn"));
}

TEST(ModuleNames, GradientsOfParametersAreToldFromOthers) {
    EXPECT_TRUE(names_parameter_gradient("fc.weight.grad"));
    EXPECT_TRUE(names_parameter_gradient("Module.fc.Linear.parameters_grad"));
    EXPECT_FALSE(names_parameter_gradient("fc.grad_output"));
    EXPECT_FALSE(names_parameter_gradient("fc.weight"));
}

TEST(ModuleNames, OpsThatMultiplyMatricesAreKnown) {
    for (const char* name :
         {"mm", "addmm", "bmm", "convolution_backward", "npu_fusion_attention", "linear"})
        EXPECT_TRUE(op_may_hold_products(name)) << name;
    for (const char* name : {"t", "expand", "embedding", "add_Tensor", "cat", "native_layer_norm"})
        EXPECT_FALSE(op_may_hold_products(name)) << name;
}

TEST(ModuleNames, SharesOfOneAreNoSums) {
    EXPECT_TRUE(names_share("_softmax"));
    EXPECT_FALSE(names_share("_log_softmax"));
    EXPECT_FALSE(names_share("sum_dim"));
}

}  // namespace
}  // namespace npuscope::compare
