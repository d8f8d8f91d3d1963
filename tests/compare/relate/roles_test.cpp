#include "compare/relate/roles.h"

#include <gtest/gtest.h>

#include "tests/compare/relate/made_side.h"

namespace npuscope::compare {

namespace {

using test::add_op;
using test::random_tensor;

/// "first" of x, "second" of that, "third" of that, twice over.
Source repeated(const std::vector<std::string>& names) {
    Source source;
    for (uint32_t layer = 0; layer < 4; ++layer) {
        Tensor before = random_tensor({4, 8}, 10 * layer);
        for (uint32_t i = 0; i < names.size(); ++i) {
            const Tensor made = random_tensor({4, 8}, 10 * layer + i + 1);
            add_op(source, names[i], {before}, made);
            before = made;
        }
    }
    return source;
}

/// The result of an op.
size_t made_by(const Listing& side, size_t op) {
    return side.out[op].at(0);
}

}  // namespace

TEST(Roles, are_learned_from_pairs_and_told_of_others) {
    const Source target = repeated({"matmul", "gelu_new", "scale"});
    const Source golden = repeated({"mm", "gelu", "mul"});
    const Listing mine = list_tensors(target);
    const Listing theirs = list_tensors(golden);
    Matches matches(mine, theirs);
    const SourcePair sources{.target = target, .golden = golden};
    EXPECT_EQ(Roles(matches, sources).usual(made_by(mine, 10), made_by(theirs, 10)), 0);
    for (size_t op = 0; op < 9; ++op)
        matches.add({.target = made_by(mine, op), .golden = made_by(theirs, op)});
    const Roles roles(matches, sources);
    for (size_t op = 9; op < 12; ++op)
        for (size_t other = 9; other < 12; ++other) {
            const double usual = roles.usual(made_by(mine, op), made_by(theirs, other));
            EXPECT_EQ(usual > 0, op == other) << op << " and " << other;
            EXPECT_EQ(usual < 0, op != other) << op << " and " << other;
        }
    // What was given has no role.
    EXPECT_EQ(roles.usual(mine.in[9].at(0), theirs.in[9].at(0)), 0);
}

TEST(Roles, are_not_learned_from_places) {
    const Source target = repeated({"matmul"});
    const Source golden = repeated({"mm"});
    const Listing mine = list_tensors(target);
    const Listing theirs = list_tensors(golden);
    Matches matches(mine, theirs);
    for (size_t op = 0; op < 3; ++op)
        matches.add({.target = made_by(mine, op), .golden = made_by(theirs, op), .by_place = true});
    const Roles roles(matches, {.target = target, .golden = golden});
    EXPECT_EQ(roles.usual(made_by(mine, 3), made_by(theirs, 3)), 0);
}

}  // namespace npuscope::compare
