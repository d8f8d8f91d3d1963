#include "compare/align/renames.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace npuscope::compare {

TEST(Renames, takes_whole_modules_before_parts_of_names) {
    const Renames renames(
        "# of a test\nfc1.Dense: fc1.Linear\nconv1.Conv2d: conv3.Conv2d\nattn_: attention.\n", "m");
    EXPECT_EQ(renames.of("Cell.fc1.Dense.forward.0"), "Module.fc1.Linear.forward.0");
    EXPECT_EQ(renames.of("Cell.xfc1.Dense.forward.0"), "Module.xfc1.Linear.forward.0");
    EXPECT_EQ(renames.of("Module.conv1.Conv2d.backward.1"), "Module.conv3.Conv2d.backward.1");
    EXPECT_EQ(renames.of("Module.attn_q.Linear.forward.0"), "Module.attention.q.Linear.forward.0");
    EXPECT_TRUE(renames.tensors().empty());
}

TEST(Renames, takes_apis_and_layers_and_tensors) {
    const Renames apis("ms_api: Functional.abs\npt_api: Torch.abs\nms_args:\n- 0\npt_args:\n- 0\n",
                       "m");
    EXPECT_EQ(apis.of("Functional.abs.3.forward"), "Torch.abs.3.forward");
    const Renames layers("ParallelAttention:\n  qkv_proj: query_key_value  # fused\n", "m");
    EXPECT_EQ(layers.of("Cell.a.qkv_proj.b"), "Module.a.query_key_value.b");
    const Renames data("A.add.0.forward.input.0: B.add.1.forward.input.1\n", "m");
    ASSERT_EQ(data.tensors().size(), 1U);
    EXPECT_EQ(data.tensors()[0].second, "B.add.1.forward.input.1");
    EXPECT_EQ(data.of("A.add.0.forward"), "A.add.0.forward");
}

TEST(Renames, rejects_what_is_no_mapping) {
    EXPECT_THROW(Renames("just words\n", "m"), Error);
    EXPECT_THROW(Renames("# nothing\n", "m"), Error);
    EXPECT_THROW(Renames(": x\n", "m"), Error);
}

}  // namespace npuscope::compare
