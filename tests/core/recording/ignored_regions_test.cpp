#include "core/recording/ignored_regions.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace npuscope {
namespace {

SourceTensor tensor_of(const std::string& path, const Shape& shape) {
    SourceTensor tensor;
    tensor.path = path;
    tensor.hold(Tensor::zeros(DType::kFloat32, shape));
    return tensor;
}

TEST(IgnoredRegions, take_the_last_brackets_as_the_slice) {
    IgnoredRegions regions;
    regions.add("/mm/[0-9]+/output[..., 1:]");
    ASSERT_EQ(regions.rows().size(), 1U);
    EXPECT_EQ(regions.rows().front().tensor.text(), "/mm/[0-9]+/output");
    EXPECT_EQ(regions.rows().front().slice.text(), "[..., 1:]");
}

TEST(IgnoredRegions, rejects_a_region_without_a_slice_or_expression) {
    IgnoredRegions regions;
    for (const char* text : {"", "/mm/", "/mm/[0-9]", "([...]", "[...]x"})
        EXPECT_THROW(regions.add(text), Error) << text;
}

TEST(IgnoredTally, tells_regions_that_are_of_nothing_or_lie_outside) {
    IgnoredRegions regions;
    regions.add("/mm/1/output[..., 1:]");
    regions.add("/relu/[...]");
    regions.add("output[:, 2]");
    IgnoredTally tally(regions);
    const auto found = tally.of(tensor_of("/mm/1/output/out", {2, 2}), "");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->count(), 2);
    EXPECT_EQ(tally.of(tensor_of("/mm/1/output/out", {2, 2}), ""), found);
    EXPECT_FALSE(tally.of(tensor_of("/mm/1/input/self", {2, 2}), ""));
    // By what the other run calls it.
    EXPECT_TRUE(tally.of(tensor_of("/mm/5/input/self", {2, 3}), "/mm/1/output/out"));
    EXPECT_EQ(tally.notes(),
              (std::vector<std::string>{
                  "the region '/relu/[...]' to ignore is of no tensor here",
                  "the region 'output[:, 2]' to ignore lies outside 1 of 2 tensors, first "
                  "/mm/1/output/out [2,2]"}));
}

TEST(IgnoreIn, marks_the_tensors_of_ops_and_their_calls) {
    SourceOp run{.id = {"mm", 1}, .path = "/mm/1", .load = [] {
                     return std::vector{tensor_of("a", {4}), tensor_of("b", {4})};
                 }};
    SourceOp op = run;
    op.calls = [run] { return std::vector{run}; };
    Source source{.ops = {op}};
    ignore_in(source, [](const SourceTensor& tensor) {
        auto ignored = std::make_shared<IgnoredElements>(Shape{tensor.path == "a" ? 4 : 3});
        EXPECT_TRUE(ignored->add(Slice("1")));
        return ignored;
    });
    for (const SourceOp& each : {source.ops.front(), source.ops.front().calls().front()}) {
        const auto tensors = each.load();
        ASSERT_TRUE(tensors[0].ignored);
        EXPECT_EQ(tensors[0].kept().numel(), 3);
        EXPECT_FALSE(tensors[1].ignored) << "of another size";
        EXPECT_EQ(tensors[1].kept().numel(), 4);
    }
}

}  // namespace
}  // namespace npuscope
