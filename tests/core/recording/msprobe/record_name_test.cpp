#include "core/recording/msprobe/record_name.h"

#include <gtest/gtest.h>

namespace npuscope::msprobe {
namespace {

TEST(RecordName, takes_apart_apis_and_modules) {
    const auto api = parse_record_name("Functional.conv2d.12.backward");
    ASSERT_TRUE(api);
    EXPECT_EQ(api->base, "Functional.conv2d");
    EXPECT_EQ(api->number, 12);
    EXPECT_EQ(api->pass, "backward");
    EXPECT_FALSE(api->is_module());
    EXPECT_EQ(api->in_pass("forward"), "Functional.conv2d.12.forward");

    const auto module = parse_record_name("Module.layer1.0.bn1.BatchNorm2d.parameters_grad.3");
    ASSERT_TRUE(module);
    EXPECT_EQ(module->base, "Module.layer1.0.bn1.BatchNorm2d");
    EXPECT_EQ(module->number, 3);
    EXPECT_EQ(module->prefix(), "Module");
    EXPECT_TRUE(module->is_module());
    EXPECT_EQ(module->in_pass("forward"), "Module.layer1.0.bn1.BatchNorm2d.forward.3");
    EXPECT_TRUE(parse_record_name("Cell.fc.Dense.forward.0")->is_module());
}

TEST(OpRecordNames, count_the_runs_of_each_op) {
    OpRecordNames names;
    EXPECT_EQ(names.next("relu"), "Aten.relu.0.forward");
    EXPECT_EQ(names.next("add.Tensor"), "Aten.add_Tensor.0.forward");
    EXPECT_EQ(names.next("relu"), "Aten.relu.1.forward");
    const std::string made = names.next("mm");
    const auto name = parse_record_name(made);
    ASSERT_TRUE(name);
    EXPECT_EQ(name->prefix(), kOpPrefix);
}

TEST(RecordName, rejects_other_names) {
    for (const std::string_view name : {"",
                                        ".",
                                        "..forward",
                                        "relu",
                                        "Tensor.add.forward",
                                        "Tensor.add.x.forward",
                                        "Tensor.add.-1.forward",
                                        "Tensor.add.99999999999999999999.forward",
                                        "optimizer",
                                        "x.0.debug"})
        EXPECT_FALSE(parse_record_name(name)) << name;
}

}  // namespace
}  // namespace npuscope::msprobe
