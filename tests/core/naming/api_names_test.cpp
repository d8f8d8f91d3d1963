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

}  // namespace
}  // namespace npuscope
