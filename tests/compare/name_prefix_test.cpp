#include "compare/align/name_prefix.h"

#include <gtest/gtest.h>

namespace npuscope::compare {

TEST(NamePrefix, is_what_names_of_one_side_have_more) {
    const std::vector<std::string> plain{"conv.weight", "fc.weight", "fc.bias", "grad.fc.bias"};
    const std::vector<std::string> wrapped{
        "module.conv.weight", "module.fc.weight", "module.fc.bias", "grad.module.fc.bias"};
    const auto of_target = find_name_prefix(wrapped, plain);
    ASSERT_TRUE(of_target);
    EXPECT_EQ(of_target->text, "module");
    EXPECT_TRUE(of_target->of_target);
    EXPECT_EQ(of_target->without("grad.module.fc.bias"), "grad.fc.bias");
    EXPECT_EQ(of_target->without("step"), "step");
    const auto of_golden = find_name_prefix(plain, wrapped);
    ASSERT_TRUE(of_golden);
    EXPECT_FALSE(of_golden->of_target);
}

TEST(NamePrefix, may_have_several_parts_and_stand_behind_others) {
    const auto found = find_name_prefix({"Module.module._orig_mod.a.Linear.forward.0",
                                         "Module.module._orig_mod.b.Linear.forward.0",
                                         "loss"},
                                        {"Module/a/Linear/forward/0", "Module/b/Linear/forward/0"});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->text, "module._orig_mod");
    EXPECT_EQ(found->without("Module.module._orig_mod.a.Linear.forward.0"),
              "Module.a.Linear.forward.0");
}

TEST(NamePrefix, may_be_the_number_of_an_outer_sequence) {
    const auto found = find_name_prefix({"0.0.weight", "0.2.weight"}, {"0.weight", "2.weight"});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->text, "0");
    EXPECT_EQ(found->without("0.0.weight"), "0.weight");
}

TEST(NamePrefix, is_none_where_few_names_agree) {
    EXPECT_FALSE(find_name_prefix({"a.x", "b.y", "c.z"}, {"x", "q", "r"}));
    EXPECT_FALSE(find_name_prefix({"model.x"}, {"x"}));
    EXPECT_FALSE(find_name_prefix({"model.x", "model.y"}, {}));
    EXPECT_FALSE(find_name_prefix({"x", "y"}, {"x", "y"}));
}

}  // namespace npuscope::compare
