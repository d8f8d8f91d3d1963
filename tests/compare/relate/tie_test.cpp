#include "compare/relate/tie.h"

#include <gtest/gtest.h>

#include "tests/compare/relate/made_side.h"

namespace npuscope::compare {

using test::add_op;
using test::random_tensor;

TEST(Tie, holds_a_sum_against_any_shape_of_as_many) {
    const Tensor one = random_tensor({9, 6}, 1);
    const Tensor rest = random_tensor({9, 6}, 2);
    const Tensor whole = random_tensor({3, 18}, 3);
    Source target;
    Source golden;
    add_op(target, "one", {}, one);
    add_op(target, "rest", {}, rest);
    add_op(golden, "sum", {}, whole);
    const TiedTensors both = tensors_of({.target = {&target.ops[0], 0},
                                         .golden = {&golden.ops[0], 0},
                                         .kind = RelationKind::kSum,
                                         .more_target = {{&target.ops[1], 0}}});
    EXPECT_EQ(both.golden.shape, (Shape{9, 6}));
    EXPECT_TRUE(identical(both.golden.open()->whole(), whole.reshaped({9, 6})));
    EXPECT_FLOAT_EQ(both.target.open()->whole().as<float>()[5],
                    one.as<float>()[5] + rest.as<float>()[5]);
}

}  // namespace npuscope::compare
