#include "compare/programs/uncross.h"

#include <gtest/gtest.h>

#include "tests/compare/compared_programs.h"

namespace npuscope::compare {
namespace {

const Shape kRoom = {6, 6};

/// A query's and a key's product of one tensor, `bmm` of both, and the gradient of that.
struct Heads {
    bool is_key_first = false;  ///< the ops ran in another order
    bool is_exchanged = false;  ///< the query is made with the key's weight, and the other way
};

std::vector<HandMadeOp> heads(const Heads& how) {
    const Tensor x = random_tensor(kRoom, 1);
    const Tensor weights[] = {random_tensor(kRoom, 2), random_tensor(kRoom, 3)};
    const Tensor made[] = {random_tensor(kRoom, 4), random_tensor(kRoom, 5)};
    const auto product = [&](size_t which) {
        return HandMadeOp{"mm", {{"self", x}, {"mat2", weights[which]}}, {{"result", made[which]}}};
    };
    const size_t query = how.is_exchanged ? 1 : 0;
    const unsigned seed = how.is_exchanged ? 20 : 10;
    std::vector<HandMadeOp> ops = {step("relu", random_tensor(kRoom, 6), x)};
    for (const size_t which : {query, 1 - query})
        ops.insert(how.is_key_first ? ops.begin() + 1 : ops.end(), product(which));
    ops.push_back({"bmm",
                   {{"self", made[query]}, {"mat2", made[1 - query]}},
                   {{"result", random_tensor(kRoom, seed)}}});
    ops.push_back({"bmm_backward",
                   {{"self", made[query]}, {"mat2", made[1 - query]}},
                   {{"result", random_tensor(kRoom, seed + 1)}}});
    return ops;
}

std::vector<std::string> tensors_at_fault(const Heads& target) {
    std::vector<std::string> paths;
    for (const Culprit& culprit : compared(heads(target), heads({})).culprits)
        paths.push_back(culprit.tensor);
    return paths;
}

TEST(Uncross, tells_exchanged_weights_and_not_all_that_takes_in_what_they_made) {
    EXPECT_EQ(tensors_at_fault({.is_exchanged = true}),
              (std::vector<std::string>{"/mm/2/input/mat2", "/mm/3/input/mat2"}));
}

TEST(Uncross, leaves_ops_that_ran_in_another_order) {
    EXPECT_TRUE(tensors_at_fault({.is_key_first = true}).empty());
}

}  // namespace
}  // namespace npuscope::compare
