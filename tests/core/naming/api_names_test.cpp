#include "core/naming/api_names.h"

#include <gtest/gtest.h>

namespace npuscope {
namespace {

TEST(ApiNames, are_parsed_from_records) {
    const auto record = parse_api_record("step0/rank1/Functional.conv2d.12.backward");
    ASSERT_TRUE(record);
    EXPECT_EQ(record->api, "Functional.conv2d");
    EXPECT_EQ(record->run, "Functional.conv2d.12");
    EXPECT_EQ(record->function(), "conv2d");
    EXPECT_TRUE(record->is_backward);
    const auto dotted = parse_api_record("Torch.linalg.norm.0.forward");
    ASSERT_TRUE(dotted);
    EXPECT_EQ(dotted->function(), "linalg.norm");
    EXPECT_FALSE(dotted->is_backward);
}

TEST(ApiNames, are_not_those_of_modules_and_other_dumps) {
    for (const char* name : {"Module.conv1.Conv2d.forward.0",
                             "Module.fc.Linear.parameters_grad.0",
                             "convolution",
                             "Functional.0.forward",
                             "Functional.relu..forward",
                             "Functional.relu.x.forward",
                             "forward",
                             ""})
        EXPECT_FALSE(parse_api_record(name)) << name;
}

TEST(ApiNames, are_found_in_place_and_by_other_modules) {
    ASSERT_NE(find_api_name("Functional.relu_"), nullptr);
    EXPECT_EQ(find_api_name("Functional.relu_")->op, "relu");
    ASSERT_NE(find_api_name("MintFunctional.conv2d"), nullptr);
    EXPECT_EQ(find_api_name("MintFunctional.conv2d")->op, "convolution");
    ASSERT_NE(find_api_name("Mint.clip"), nullptr);
    EXPECT_EQ(find_api_name("Mint.clip")->op, "clamp");
    EXPECT_EQ(plain_api("Mint.add_ex"), "Torch.add");
    EXPECT_EQ(plain_api("Torch.add_ex"), "Torch.add_ex");
    ASSERT_NE(find_api_name("Primitive.fc.matmul.MatMul"), nullptr);
    EXPECT_EQ(find_api_name("Primitive.fc.matmul.MatMul")->api, "Primitive.MatMul");
    EXPECT_EQ(find_api_name("Primitive.add.RmsNorm"), nullptr);
    EXPECT_EQ(find_api_name("Torch.mm"), nullptr);
    EXPECT_EQ(find_api_name("nothing"), nullptr);
}

TEST(ApiNames, tell_what_a_function_takes_in_a_place) {
    EXPECT_EQ(argument_in_place("Functional.linear.0.forward", "1"), "weight");
    EXPECT_EQ(argument_in_place("Functional.conv2d.3.forward", "2"), "bias");
    EXPECT_EQ(argument_in_place("Functional.embedding.0.forward", "0"), "input");
    EXPECT_EQ(argument_in_place("Functional.batch_norm.0.forward", "1"), "running_mean");
    for (const auto& [record, place] : {std::pair("Functional.linear.0.backward", "1"),
                                        std::pair("Functional.linear.0.forward", "weight"),
                                        std::pair("Functional.linear.0.forward", "9"),
                                        std::pair("Tensor.nothing.0.forward", "1"),
                                        std::pair("addmm", "1")})
        EXPECT_EQ(argument_in_place(record, place), "") << record << place;
}

}  // namespace
}  // namespace npuscope
