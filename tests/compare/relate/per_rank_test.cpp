#include "compare/relate/per_rank.h"

#include <algorithm>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "compare/relate/ties.h"
#include "tests/compare/relate/made_side.h"
#include "tests/compare/relate/tied.h"

namespace npuscope::compare {

namespace {

using test::add_op;
using test::columns;
using test::largest_difference;
using test::random_tensor;
using test::transposed;

Tensor rows(const Tensor& matrix, int64_t first, int64_t last) {
    return transposed(columns(transposed(matrix), first, last));
}

/// One behind the other along the first axis.
Tensor stacked(const std::vector<Tensor>& matrices) {
    std::vector<float> elements;
    for (const Tensor& each : matrices)
        elements.insert(elements.end(), each.as<float>().begin(), each.as<float>().end());
    const int64_t width = matrices.front().dim(1);
    Tensor whole(DType::kFloat32, {static_cast<int64_t>(elements.size()) / width, width});
    std::ranges::copy(elements, whole.mutable_as<float>().begin());
    return whole;
}

Tensor plus(const Tensor& one, const Tensor& other, float factor = 1) {
    Tensor sum = Tensor::copy_of(one.view());
    for (size_t i = 0; i < sum.as<float>().size(); ++i)
        sum.mutable_as<float>()[i] += factor * other.as<float>()[i];
    return sum;
}

/// Moves the last op added to a rank.
void on_rank(Source& source, const std::string& rank, int64_t number) {
    SourceOp& op = source.ops.back();
    const std::string old = op.path;
    op.id.seqid = number;
    op.path = rank + ":/" + op.id.op + "/" + std::to_string(number);
    op.load = [load = op.load, old, path = op.path] {
        std::vector<SourceTensor> tensors = load();
        for (SourceTensor& tensor : tensors)
            tensor.path = path + tensor.path.substr(old.size());
        return tensors;
    };
}

/// The k-th op of the program on each rank.
void add_on_ranks(Source& source,
                  const std::string& name,
                  const std::vector<std::vector<Tensor>>& inputs,
                  const std::vector<Tensor>& outputs) {
    const auto number = static_cast<int64_t>(source.ops.size() / outputs.size()) + 1;
    for (size_t rank = 0; rank < outputs.size(); ++rank) {
        add_op(source, name, inputs.empty() ? std::vector<Tensor>() : inputs[rank], outputs[rank]);
        on_rank(source, "rank" + std::to_string(rank), number);
    }
}

std::multimap<std::string, TensorTie> ties_by_path(const Source& target, const Source& golden) {
    const Relations relations = relate(target, golden, 1);
    std::multimap<std::string, TensorTie> ties;
    for (TensorTie& tie : ties_of(relations, target, golden))
        ties.emplace(tie.target.path, std::move(tie));
    return ties;
}

}  // namespace

TEST(PerRank, cuts_what_lies_in_order_into_the_ranks_shares) {
    // [4,3] of two ranks, beside [8,3].
    const auto views = shard_views({}, {}, {4, 3}, {8, 3}, 2, 1);
    ASSERT_EQ(views.size(), 2U);
    for (size_t rank = 0; rank < 2; ++rank) {
        EXPECT_EQ(views[rank].target_rank, rank);
        EXPECT_FALSE(views[rank].target.has_value());
        ASSERT_TRUE(views[rank].golden.has_value());
        EXPECT_EQ(views[rank].golden->shape, (Shape{4, 3}));
        EXPECT_EQ(views[rank].golden->offset, static_cast<int64_t>(rank) * 12);
    }
    EXPECT_EQ(text_of_box(*views[1].golden, {8, 3}), "4:8 along axis 0 of [8,3]");
}

TEST(PerRank, cuts_along_an_inner_axis) {
    // [2 ranks][4,3] shown as [4,6]: places 3 * 4 apart for each rank.
    const View joined{.shape = {4, 6}, .source_numel = 24, .loops = {{4, 3}, {2, 12}, {3, 1}}};
    const auto views = shard_views(joined, {}, {4, 3}, {4, 6}, 2, 1);
    ASSERT_EQ(views.size(), 2U);
    EXPECT_FALSE(views[1].target.has_value());
    ASSERT_TRUE(views[1].golden.has_value());
    EXPECT_EQ(text_of_box(*views[1].golden, {4, 6}), "3:6 along axis 1 of [4,6]");
}

TEST(PerRank, takes_ranks_of_both_sides_apart) {
    // Two ranks of [4] and four of [2].
    const auto views = shard_views({}, {}, {4}, {2}, 2, 4);
    ASSERT_EQ(views.size(), 4U);
    EXPECT_EQ(views[3].target_rank, 1U);
    EXPECT_EQ(views[3].golden_rank, 3U);
    ASSERT_TRUE(views[3].target.has_value());
    EXPECT_EQ(views[3].target->offset, 2);
    EXPECT_FALSE(views[3].golden.has_value());
}

TEST(PerRank, tells_nothing_where_ranks_meet_inside_a_loop) {
    // Three elements of which the second rank's first is one.
    const View joined{.shape = {3}, .source_numel = 4, .loops = {{3, 1}}};
    EXPECT_TRUE(shard_views(joined, {}, {2}, {3}, 2, 1).empty());
}

TEST(PerRank, relates_shards_to_their_slices) {
    for (const int64_t ranks : {2, 4}) {
        const Tensor weight = random_tensor({8, 12}, 1);
        Source golden;
        add_op(golden, "mm", {}, weight);
        std::vector<Tensor> shards;
        for (int64_t rank = 0; rank < ranks; ++rank)
            shards.push_back(columns(weight, rank * 12 / ranks, (rank + 1) * 12 / ranks));
        Source target;
        add_on_ranks(target, "mm", {}, shards);
        const auto ties = ties_by_path(target, golden);
        ASSERT_EQ(ties.size(), static_cast<size_t>(ranks));
        for (const auto& [path, tie] : ties) {
            EXPECT_EQ(tie.kind, RelationKind::kPart);
            EXPECT_EQ(largest_difference(tie), 0) << path;
        }
        EXPECT_EQ(ties.find("rank1:/mm/1/output/result")->second.text,
                  ranks == 2 ? "6:12 along axis 1 of [8,12]" : "3:6 along axis 1 of [8,12]");
    }
}

TEST(PerRank, relates_what_ranks_fuse_of_shards) {
    // Each rank holds its rows of two matrices, one behind the other; the golden the two.
    const Tensor one = random_tensor({8, 6}, 1);
    const Tensor other = random_tensor({8, 6}, 2);
    Source golden;
    add_op(golden, "mm", {}, one);
    add_op(golden, "mm", {}, other);
    Source target;
    add_on_ranks(target,
                 "mm",
                 {},
                 {stacked({rows(one, 0, 4), rows(other, 0, 4)}),
                  stacked({rows(one, 4, 8), rows(other, 4, 8)})});
    const auto ties = ties_by_path(target, golden);
    ASSERT_EQ(ties.size(), 4U);
    std::vector<std::string> texts;
    for (const auto& [path, tie] : ties) {
        EXPECT_EQ(largest_difference(tie), 0) << path;
        texts.push_back(path.substr(0, 6) + tie.golden.path.substr(0, 5) + tie.text);
    }
    EXPECT_NE(std::ranges::find(
                  texts, "rank1:/mm/24:8 along axis 0 of [8,6] is 4:8 along axis 0 of [8,6]"),
              texts.end());
}

TEST(PerRank, relates_copies_though_an_error_is_in_one) {
    for (const size_t ranks : {2U, 4U}) {
        const Tensor x = random_tensor({4, 6}, 1);
        const Tensor y = random_tensor({4, 6}, 2);
        Source golden;
        add_op(golden, "relu", {x}, y);
        Source target;
        std::vector<Tensor> results(ranks, y);
        results[1] = plus(y, random_tensor({4, 6}, 3), 0.5F);
        add_on_ranks(target, "relu", std::vector<std::vector<Tensor>>(ranks, {x}), results);
        const auto ties = ties_by_path(target, golden);
        for (size_t rank = 0; rank < ranks; ++rank) {
            const auto tie = ties.find("rank" + std::to_string(rank) + ":/relu/1/output/result");
            ASSERT_NE(tie, ties.end()) << rank;
            EXPECT_EQ(tie->second.kind, RelationKind::kEqual);
            EXPECT_EQ(largest_difference(tie->second) > 0, rank == 1);
        }
    }
}

TEST(PerRank, relates_terms_and_the_sum_that_ranks_make_of_them) {
    const Tensor sum = random_tensor({6, 5}, 1);
    const Tensor term = random_tensor({6, 5}, 2);
    const Tensor rest = plus(sum, term, -1);
    Source golden;
    add_op(golden, "mm", {}, sum);
    Source target;
    add_on_ranks(target, "mm", {}, {term, rest});
    add_on_ranks(target, "all_reduce", {{term}, {rest}}, {sum, sum});
    const auto ties = ties_by_path(target, golden);
    ASSERT_EQ(ties.size(), 3U);
    const TensorTie& terms = ties.find("rank0:/mm/1/output/result")->second;
    EXPECT_EQ(terms.kind, RelationKind::kSum);
    EXPECT_EQ(terms.text, "the sum of 2 ranks");
    ASSERT_EQ(terms.more_target.size(), 1U);
    EXPECT_EQ(terms.more_target[0].path, "rank1:/mm/1/output/result");
    EXPECT_LT(largest_difference(terms), 1e-6);
    EXPECT_EQ(ties.find("rank1:/all_reduce/2/output/result")->second.kind, RelationKind::kEqual);
}

TEST(PerRank, relates_terms_that_an_op_hands_on_before_they_are_summed) {
    const Tensor sum = random_tensor({6, 5}, 1);
    const Tensor term = random_tensor({6, 5}, 2);
    const Tensor rest = plus(sum, term, -1);
    Source golden;
    add_op(golden, "mm", {}, sum);
    add_op(golden, "clone", {sum}, sum);
    Source target;
    add_on_ranks(target, "mm", {}, {term, rest});
    add_on_ranks(target, "clone", {{term}, {rest}}, {term, rest});
    add_on_ranks(target, "all_reduce", {{term}, {rest}}, {sum, sum});
    const auto ties = ties_by_path(target, golden);
    for (const std::string op : {"mm/1", "clone/2"}) {
        const auto tie = ties.find("rank0:/" + op + "/output/result");
        ASSERT_NE(tie, ties.end()) << op;
        EXPECT_EQ(tie->second.text, "the sum of 2 ranks");
        EXPECT_LT(largest_difference(tie->second), 1e-6);
    }
}

TEST(PerRank, relates_terms_that_no_rank_adds_up) {
    const Tensor sum = random_tensor({6, 5}, 1);
    const Tensor term = random_tensor({6, 5}, 2);
    Source golden;
    add_op(golden, "mm", {}, transposed(sum));
    Source target;
    add_on_ranks(target, "mm", {}, {term, plus(sum, term, -1)});
    const auto ties = ties_by_path(target, golden);
    ASSERT_EQ(ties.size(), 1U);
    EXPECT_EQ(ties.begin()->second.text, "the sum of 2 ranks; its transpose");
    EXPECT_LT(largest_difference(ties.begin()->second), 1e-6);
}

TEST(PerRank, takes_what_one_rank_alone_is_given_for_no_share_of_a_result) {
    // The second rank's result is written wrong; what the next op takes in is right.
    const Tensor x = random_tensor({4, 6}, 1);
    const Tensor y = random_tensor({4, 6}, 2);
    Source golden;
    add_op(golden, "mm", {}, x);
    add_op(golden, "exp", {x}, y);
    Source target;
    std::vector<Tensor> parts = {columns(x, 0, 3), columns(x, 3, 6)};
    add_on_ranks(target, "mm", {}, {parts[0], plus(parts[1], parts[1], 0.01F)});
    add_on_ranks(target, "exp", {{parts[0]}, {parts[1]}}, {columns(y, 0, 3), columns(y, 3, 6)});
    const auto ties = ties_by_path(target, golden);
    for (const std::string rank : {"rank0", "rank1"}) {
        const auto tie = ties.find(rank + ":/mm/1/output/result");
        ASSERT_NE(tie, ties.end()) << rank;
        EXPECT_EQ(tie->second.golden.path, "/mm/1/output/result");
    }
}

TEST(PerRank, relates_ranks_whose_programs_are_not_of_one_length) {
    const Tensor x = random_tensor({4, 6}, 1);
    Source golden;
    add_op(golden, "relu", {}, x);
    Source target;
    add_op(target, "log", {}, random_tensor({3, 5}, 9));
    on_rank(target, "rank0", 1);
    add_op(target, "relu", {}, rows(x, 0, 2));
    on_rank(target, "rank0", 2);
    add_op(target, "relu", {}, rows(x, 2, 4));
    on_rank(target, "rank1", 1);
    const auto ties = ties_by_path(target, golden);
    ASSERT_EQ(ties.size(), 2U);
    EXPECT_EQ(ties.find("rank1:/relu/1/output/result")->second.text, "2:4 along axis 0 of [4,6]");
}

}  // namespace npuscope::compare
