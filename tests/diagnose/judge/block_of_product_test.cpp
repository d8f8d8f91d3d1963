#include "diagnose/judge/block_of_product.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "diagnose/judge/part_of_run.h"
#include "tests/compare/dataflow/hand_made.h"
#include "tests/diagnose/judge/runs.h"

namespace npuscope::diagnose {
namespace {

using compare::random_tensor;
using test::run_here;

/// 300 x 400 times 400 x 700, and a bias that is added to it.
OpRun with_bias(const Tensor& bias) {
    return run_here("addmm",
                    {{"self", bias},
                     {"mat1", random_tensor({300, 400}, 1)},
                     {"mat2", random_tensor({400, 700}, 2)}});
}

OpRun without_bias() {
    return run_here(
        "mm", {{"self", random_tensor({300, 400}, 1)}, {"mat2", random_tensor({400, 700}, 2)}});
}

/// The block's results, computed of its operands alone, are those of the whole at its places.
void expect_same_results(const OpRun& whole, const Block& block) {
    auto some = cut_to(whole, block);
    ASSERT_TRUE(some);
    some->wide = widened(some->arguments);
    const Tensor& all = exact_results(whole)->tensor(0);
    const Tensor& own = exact_results(*some)->tensor(0);
    const Tensor& recorded = some->results.front().elements;
    ASSERT_EQ(own.shape(), recorded.shape());
    for (size_t i = 0; i < block.rows.size(); ++i)
        for (size_t j = 0; j < block.columns.size(); ++j) {
            const auto at = static_cast<int64_t>(i * block.columns.size() + j);
            const int64_t place = block.rows[i] * all.dim(1) + block.columns[j];
            EXPECT_NEAR(own.at(at), all.at(place), 1e-12);
            EXPECT_EQ(recorded.at(at), whole.results.front().elements.at(place));
        }
}

TEST(BlockOfProduct, holds_elements_from_all_over_and_those_that_are_asked_for) {
    const OpRun whole = without_bias();
    const std::vector<int64_t> also = {7 * 700 + 3, 299 * 700 + 699};
    const auto block = block_of(whole, 4096, also);
    ASSERT_TRUE(block);
    EXPECT_EQ(block->rows.size(), 64U);
    EXPECT_EQ(block->columns.size(), 64U);
    EXPECT_EQ(block->rows[0], 7);
    EXPECT_EQ(block->rows[1], 299);
    EXPECT_EQ(block->columns[0], 3);
    EXPECT_EQ(block->columns[1], 699);
    EXPECT_LT(std::ranges::min(block->rows), 20);
    EXPECT_GT(std::ranges::max(block->columns), 660);
    expect_same_results(whole, *block);
}

TEST(BlockOfProduct, leaves_half_of_its_places_to_all_over) {
    std::vector<int64_t> also;
    for (int64_t row = 0; row < 300; ++row)
        also.push_back(row * 700);
    const auto block = block_of(without_bias(), 4096, also);
    ASSERT_TRUE(block);
    EXPECT_EQ(block->rows[31], 31);
    EXPECT_GT(std::ranges::max(block->rows), 280);
}

TEST(BlockOfProduct, cuts_each_form_of_bias) {
    for (const Shape& shape :
         {Shape{700}, Shape{300, 700}, Shape{1, 700}, Shape{300, 1}, Shape{1}, Shape{}}) {
        const OpRun whole = with_bias(random_tensor(shape, 3));
        const auto block = block_of(whole, 4096);
        ASSERT_TRUE(block);
        expect_same_results(whole, *block);
    }
}

TEST(BlockOfProduct, may_be_of_few_rows) {
    const OpRun whole = run_here(
        "mm", {{"self", random_tensor({3, 400}, 1)}, {"mat2", random_tensor({400, 7000}, 2)}});
    const auto block = block_of(whole, 4096);
    ASSERT_TRUE(block);
    EXPECT_EQ(block->rows.size(), 3U);
    EXPECT_EQ(block->columns.size(), 1365U);
    expect_same_results(whole, *block);
}

TEST(BlockOfProduct, begins_at_the_first_row_and_column) {
    const auto block = leading_block(without_bias(), 1024);
    ASSERT_TRUE(block);
    EXPECT_EQ(block->rows.back(), 31);
    EXPECT_EQ(block->columns.back(), 31);
}

TEST(BlockOfProduct, is_none_where_whole_rows_cost_as_little_or_there_are_no_two_matrices) {
    EXPECT_FALSE(block_of(
        run_here("mm",
                 {{"self", random_tensor({300, 40}, 1)}, {"mat2", random_tensor({40, 700}, 2)}}),
        4096));
    EXPECT_FALSE(block_of(without_bias(), 200000));
    const OpRun batches = run_here(
        "bmm",
        {{"self", random_tensor({2, 30, 400}, 1)}, {"mat2", random_tensor({2, 400, 700}, 2)}});
    EXPECT_FALSE(is_product_of_matrices(batches));
    EXPECT_FALSE(block_of(batches, 4096));
    const OpRun sum =
        run_here("add_Tensor",
                 {{"self", random_tensor({600, 600}, 1)}, {"other", random_tensor({600, 600}, 2)}});
    EXPECT_FALSE(is_product_of_matrices(sum));
    EXPECT_FALSE(block_of(sum, 4096));
}

TEST(BlockOfProduct, of_a_bias_that_is_a_matrix_has_rows_that_are_cut_with_it) {
    const OpRun vector = with_bias(random_tensor({700}, 3));
    EXPECT_TRUE(is_product_of_matrices(vector));
    EXPECT_EQ(cut_of(vector), Cut::kFirst);
    const OpRun matrix = with_bias(random_tensor({300, 700}, 3));
    EXPECT_FALSE(is_product_of_matrices(matrix));
    EXPECT_EQ(cut_of(matrix), Cut::kMatrices);
}

TEST(BlockOfProduct, is_none_of_a_file_whose_bias_does_not_fit) {
    for (const Shape& shape : {Shape{3}, Shape{2, 700}, Shape{300, 3}, Shape{1, 1, 700}}) {
        OpRun whole = with_bias(random_tensor({700}, 3));
        whole.arguments.front().value = random_tensor(shape, 4);
        EXPECT_FALSE(block_of(whole, 4096));
        EXPECT_FALSE(cut_to(whole, {{0}, {699}}));
    }
}

TEST(BlockOfProduct, is_not_cut_out_of_what_has_no_such_places) {
    const OpRun whole = without_bias();
    EXPECT_FALSE(cut_to(whole, {{300}, {0}}));
    EXPECT_FALSE(cut_to(whole, {{0}, {700}}));
}

}  // namespace
}  // namespace npuscope::diagnose
