#include "compare/relate/mapping.h"

#include <gtest/gtest.h>

#include "compare/relate/ties.h"
#include "core/base/error.h"
#include "tests/compare/relate/made_side.h"

namespace npuscope::compare {

namespace {

using test::add_op;
using test::random_tensor;
using test::transposed;

struct Sides {
    Source target;
    Source golden;
    int64_t unknown = 0;

    Sides() {
        const Tensor weight = random_tensor({6, 9}, 1);
        add_op(golden, "a", {}, weight);
        add_op(target, "b", {}, transposed(weight));
    }
    std::vector<TensorTie> read(const std::string& text) {
        return ties_written(text, "m.json", target, golden, unknown);
    }
};

}  // namespace

TEST(Mapping, is_read_as_it_was_written) {
    Sides sides;
    const auto ties = ties_of(relate(sides.target, sides.golden, 1), sides.target, sides.golden);
    ASSERT_EQ(ties.size(), 1U);
    const auto read = sides.read(mapping_text(ties));
    ASSERT_EQ(read.size(), 1U);
    EXPECT_EQ(read[0].kind, RelationKind::kPermuted);
    EXPECT_EQ(read[0].text, ties[0].text);
    EXPECT_EQ(read[0].target_view, ties[0].target_view);
    const TiedTensors both = tensors_of(read[0]);
    EXPECT_TRUE(identical(both.target.open()->whole(), both.golden.open()->whole()));
}

TEST(Mapping, takes_two_paths_and_counts_what_is_not_there) {
    Sides sides;
    const auto ties = sides.read(
        R"({"version": 1, "tensors": [{"target": "/b/1/output/result", "golden": "/a/1/output/result"},
            {"target": "/x/1/output/result", "golden": "/a/1/output/result"}]})");
    ASSERT_EQ(ties.size(), 1U);
    EXPECT_EQ(sides.unknown, 1);
    // As many elements in another shape: in their order.
    EXPECT_EQ(ties[0].kind, RelationKind::kReshaped);
    EXPECT_EQ(tensors_of(ties[0]).target.shape, (Shape{6, 9}));
}

TEST(Mapping, rejects_what_is_none) {
    Sides sides;
    const std::string paths = R"("target": "/b/1/output/result", "golden": "/a/1/output/result")";
    for (const std::string& text :
         {std::string("[]"),
          std::string(R"({"tensors": []})"),
          std::string(R"({"version": 2, "tensors": []})"),
          std::string(R"({"version": 1, "tensors": [3]})"),
          std::string(R"({"version": 1, "tensors": [{"target": "/b/1/output/result"}]})"),
          R"({"version": 1, "tensors": [{)" + paths + R"(, "relation": "alike"}]})",
          R"({"version": 1, "tensors": [{)" + paths + R"(, "target_view": 3}]})",
          R"({"version": 1, "tensors": [{)" + paths +
              R"(, "target_view": {"shape": [6], "of": 54, "offset": 50, "loops": [[6, 1]]}}]})",
          R"({"version": 1, "tensors": [{)" + paths + R"(, "more_target": ["/no"]}]})"})
        EXPECT_THROW((void)sides.read(text), Error) << text;
}

}  // namespace npuscope::compare
