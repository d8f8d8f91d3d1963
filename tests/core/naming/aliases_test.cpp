#include "core/naming/aliases.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace npuscope {
namespace {

TEST(Alias, names_are_unique_and_lead_to_a_canonical_name_in_one_step) {
    std::set<std::string_view> names;
    for (const Alias& alias : all_aliases()) {
        EXPECT_TRUE(names.insert(alias.name).second) << alias.name;
        EXPECT_EQ(find_alias(alias.canonical), nullptr) << alias.canonical;
        EXPECT_EQ(canonical_name(alias.name), alias.canonical);
    }
}

TEST(Alias, an_unknown_name_is_its_own_canonical_name) {
    EXPECT_EQ(canonical_name("addmm"), "addmm");
    EXPECT_EQ(find_alias(""), nullptr);
}

TEST(Alias, the_names_of_the_original_meet) {
    EXPECT_EQ(canonical_name("NpuConvolutionBackward"), canonical_name("CudnnConvolutionBackward"));
    EXPECT_EQ(canonical_name("NativeBatchNormBackward"), canonical_name("CudnnBatchNormBackward"));
}

TEST(Alias, renames_arguments) {
    const Alias alias{"a", "b", "grads/grads_0=grad_out,epsilon=eps"};
    EXPECT_EQ(canonical_argument(alias, "grads/grads_0"), "grad_out");
    EXPECT_EQ(canonical_argument(alias, "epsilon"), "eps");
    EXPECT_EQ(canonical_argument(alias, "eps"), "eps");
    EXPECT_EQ(canonical_argument(alias, "weight"), "weight");
    EXPECT_EQ(canonical_argument(alias, ""), "");
    EXPECT_EQ(canonical_argument({"a", "b", ""}, "x"), "x");
}

TEST(Unrecorded, views_are_not_recorded_and_computation_is) {
    for (const char* name : {"view", "reshape", "t", "permute", "detach", "slice_Tensor"})
        EXPECT_FALSE(is_recorded(name)) << name;
    for (const char* name : {"addmm", "relu", "convolution", "cat", "_softmax", ""})
        EXPECT_TRUE(is_recorded(name)) << name;
}

}  // namespace
}  // namespace npuscope
