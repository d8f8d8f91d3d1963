#include "diagnose/judge/run_in_pieces.h"

#include <gtest/gtest.h>

#include "tests/compare/dataflow/hand_made.h"
#include "tests/diagnose/judge/runs.h"

namespace npuscope::diagnose {
namespace {

using compare::random_tensor;
using test::recorded_run;

/// Not widened, as RunInPieces takes it.
OpRun computed_run(const std::string& op,
               const NamedValues& arguments,
               const std::string& result = "result") {
    const auto results = run(*backend::find_op(op), arguments, Device::reference32());
    OpRun found = recorded_run(op, arguments, results.value().tensor(0), result);
    found.wide.clear();
    return found;
}

std::vector<double> exact_elements(const OpRun& run) {
    const Tensor* exact = expected_of(*exact_results(run), run.results.front());
    return {exact->as<double>().begin(), exact->as<double>().end()};
}

/// The pieces hold the recorded results in their order, and come to the same exact ones.
void expect_the_whole(OpRun whole, int64_t least_pieces) {
    const auto pieces = RunInPieces::of(whole);
    ASSERT_TRUE(pieces);
    EXPECT_GE(pieces->count(), least_pieces);
    std::vector<double> exact;
    std::vector<float> recorded;
    for (int64_t i = 0; i < pieces->count(); ++i) {
        const OpRun piece = pieces->piece(i);
        const auto own = exact_elements(piece);
        exact.insert(exact.end(), own.begin(), own.end());
        const auto elements = piece.results.front().elements.as<float>();
        recorded.insert(recorded.end(), elements.begin(), elements.end());
        EXPECT_EQ(piece.wide.size(), piece.arguments.size());
    }
    const auto all = whole.results.front().elements.as<float>();
    EXPECT_TRUE(std::ranges::equal(recorded, all));
    whole.wide = widened(whole.arguments);
    const auto expected = exact_elements(whole);
    ASSERT_EQ(exact.size(), expected.size());
    for (size_t i = 0; i < exact.size(); ++i)
        ASSERT_NEAR(exact[i], expected[i], 1e-12 * (1 + std::abs(expected[i])));
}

TEST(RunInPieces, of_elementwise_ops_is_stretches_of_elements) {
    expect_the_whole(computed_run("mul_Tensor",
                              {{"self", random_tensor({600, 1000}, 1)},
                               {"other", random_tensor({600, 1000}, 2)}}),
                     4);
}

TEST(RunInPieces, of_ops_along_rows_is_some_rows_beside_whole_vectors) {
    expect_the_whole(computed_run("native_layer_norm",
                              {{"input", random_tensor({600, 1000}, 1)},
                               {"normalized_shape", IntList{1000}},
                               {"weight", random_tensor({1000}, 2)},
                               {"bias", random_tensor({1000}, 3)},
                               {"eps", 1e-5}},
                              "result0"),
                     4);
}

TEST(RunInPieces, of_products_is_rows_beside_the_whole_second_operand) {
    expect_the_whole(computed_run("addmm",
                              {{"self", random_tensor({257}, 1)},
                               {"mat1", random_tensor({1300, 17}, 2)},
                               {"mat2", random_tensor({17, 257}, 3)}}),
                     3);
    // Square: which operand has the result's rows is told by its place.
    expect_the_whole(computed_run("mm",
                              {{"self", random_tensor({1030, 1030}, 2)},
                               {"mat2", random_tensor({1030, 1030}, 3)}}),
                     3);
}

TEST(RunInPieces, is_none_where_rows_depend_on_each_other_or_are_few) {
    const Tensor x = random_tensor({400, 1000}, 1);
    EXPECT_FALSE(RunInPieces::of(computed_run("cumsum", {{"self", x}, {"dim", int64_t{0}}})));
    EXPECT_FALSE(RunInPieces::of(
        computed_run("_softmax", {{"self", x}, {"dim", int64_t{0}}, {"half_to_float", false}})));
    EXPECT_FALSE(RunInPieces::of(computed_run("triu", {{"self", x}})));
    EXPECT_FALSE(RunInPieces::of(computed_run("sigmoid", {{"self", random_tensor({100, 1000}, 1)}})));
    EXPECT_FALSE(RunInPieces::of(computed_run(
        "mm", {{"self", random_tensor({600, 20}, 2)}, {"mat2", random_tensor({20, 300}, 3)}})));
}

TEST(RunInPieces, takes_the_same_pieces_of_the_other_side) {
    const auto sigmoid = [](Shape shape, uint64_t seed) {
        return computed_run("sigmoid", {{"self", random_tensor(std::move(shape), seed)}});
    };
    const auto pieces = RunInPieces::of(sigmoid({600, 1000}, 1));
    ASSERT_TRUE(pieces);
    const OpRun golden = sigmoid({600, 1000}, 2);
    const auto like = pieces->like(golden);
    ASSERT_TRUE(like);
    EXPECT_EQ(like->count(), pieces->count());
    const OpRun first = like->piece(0);
    EXPECT_EQ(first.results.front().elements.as<float>()[7],
              golden.results.front().elements.as<float>()[7]);
    EXPECT_FALSE(pieces->like(sigmoid({1000, 600}, 2)));
    EXPECT_FALSE(pieces->like(computed_run("tanh", {{"self", random_tensor({600, 1000}, 2)}})));
}

}  // namespace
}  // namespace npuscope::diagnose
