// Which ops draw numbers, by their names.
#include "compare/random_ops.h"

#include <gtest/gtest.h>

namespace npuscope::compare {
namespace {

TEST(RandomOps, are_told_by_their_names) {
    for (const char* name :
         {"rand_like", "native_dropout", "bernoulli__float", "multinomial", "uniform_", "normal_"})
        EXPECT_TRUE(may_be_random(name)) << name;
}

TEST(RandomOps, are_none_that_resize_or_normalize) {
    for (const char* name : {"upsample_bilinear2d",
                             "_upsample_bilinear2d_aa_vec",
                             "grid_sampler_2d",
                             "batch_normalization",
                             "native_layer_norm"})
        EXPECT_FALSE(may_be_random(name)) << name;
}

}  // namespace
}  // namespace npuscope::compare
