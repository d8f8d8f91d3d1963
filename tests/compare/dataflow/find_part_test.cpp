#include "compare/dataflow/find_part.h"

#include <gtest/gtest.h>

#include "tests/compare/dataflow/hand_made.h"

namespace npuscope::compare {
namespace {

Tensor rows(const Tensor& tensor, int64_t first, int64_t count) {
    const auto width = static_cast<size_t>(tensor.dim(1));
    return Tensor::from<float>({count, tensor.dim(1)},
                               tensor.as<float>().subspan(static_cast<size_t>(first) * width,
                                                          static_cast<size_t>(count) * width));
}

TEST(FindParts, finds_slices_and_expanded_tensors) {
    const Tensor a = random_tensor({12, 5}, 1);
    const Tensor b = random_tensor({5}, 2);
    Tensor expanded(DType::kFloat32, {3, 5});
    for (size_t i = 0; i < 15; ++i)
        expanded.mutable_as<float>()[i] = b.as<float>()[i % 5];
    const Source source = hand_made({{"relu", {}, {{"out", a}}},
                                     {"sum", {}, {{"out", b}}},
                                     {"mm", {{"self", rows(a, 3, 4)}, {"mat2", expanded}}, {}}});
    Dataflow flow = trace(source);
    EXPECT_EQ(producer_of(flow, "/mm/3/input/self"), "");
    find_parts(source, flow, {2, 3});
    EXPECT_EQ(producer_of(flow, "/mm/3/input/self"), "/relu/1/output/out");
    EXPECT_EQ(producer_of(flow, "/mm/3/input/mat2"), "/sum/2/output/out");
    EXPECT_EQ(at_path(flow, "/mm/3/input/self").passage, Passage::kPart);
    EXPECT_FALSE(at_path(flow, "/mm/3/input/self").given);
}

TEST(FindParts, finds_a_small_output_expanded_by_all_its_values) {
    const Tensor two = random_tensor({2}, 3);
    const Tensor three = random_tensor({3}, 4);
    const auto expanded = [](const Tensor& tensor, int64_t last) {
        Tensor whole(DType::kFloat32, {tensor.numel(), last});
        for (int64_t i = 0; i < whole.numel(); ++i)
            whole.mutable_as<float>()[static_cast<size_t>(i)] =
                tensor.as<float>()[static_cast<size_t>(i / last)];
        return whole;
    };
    const Source source = hand_made(
        {{"mul", {}, {{"out", two}}},
         {"sum", {}, {{"out", three}}},
         {"add",
          {{"self", expanded(two, 6)}, {"other", expanded(rows(three.reshaped({3, 1}), 0, 2), 6)}},
          {}}});
    Dataflow flow = trace(source);
    find_parts(source, flow, {2, 3});
    EXPECT_EQ(producer_of(flow, "/add/3/input/self"), "/mul/1/output/out");
    // Two values of three, which is no expanded output, but a part of one.
    EXPECT_EQ(producer_of(flow, "/add/3/input/other"), "/sum/2/output/out");
}

TEST(FindParts, finds_a_small_output_of_which_some_values_are_equal) {
    const float quarter = 0.25F;
    const float other = 0.18712F;
    const Tensor rates = Tensor::from<float>({3}, {quarter, quarter, other});
    const Tensor expanded =
        Tensor::from<float>({3, 2}, {quarter, quarter, quarter, quarter, other, other});
    const Source source = hand_made(
        {{"div", {}, {{"out", rates}}},
         {"mul", {{"self", expanded}, {"other", rows(rates.reshaped({3, 1}), 2, 1)}}, {}}});
    Dataflow flow = trace(source);
    find_parts(source, flow, {1, 2});
    EXPECT_EQ(producer_of(flow, "/mul/2/input/self"), "/div/1/output/out");
    EXPECT_EQ(producer_of(flow, "/mul/2/input/other"), "");  // one number tells too little
}

/// Rows of a counter and of a number below three.
Tensor places_of_chosen(int64_t rows) {
    Tensor places(DType::kInt64, {rows, 2});
    for (int64_t i = 0; i < rows; ++i) {
        places.mutable_as<int64_t>()[static_cast<size_t>(2 * i)] = i / 4;
        places.mutable_as<int64_t>()[static_cast<size_t>(2 * i + 1)] = i * i % 3;
    }
    return places;
}

Tensor column_of(const Tensor& table, int64_t column) {
    Tensor numbers(DType::kInt64, {table.dim(0)});
    for (int64_t i = 0; i < table.dim(0); ++i)
        numbers.mutable_as<int64_t>()[static_cast<size_t>(i)] =
            static_cast<int64_t>(table.at(i * table.dim(1) + column));
    return numbers;
}

TEST(FindParts, finds_a_column_of_small_whole_numbers) {
    const Tensor places = places_of_chosen(40);
    Tensor other = column_of(places, 1);
    other.mutable_as<int64_t>()[11] += 1;
    const Source source = hand_made({{"nonzero", {}, {{"out", places}}},
                                     {"nonzero", {}, {{"out", places_of_chosen(6)}}},
                                     {"index",
                                      {{"rows", column_of(places, 0)},
                                       {"columns", column_of(places, 1)},
                                       {"others", other},
                                       {"few", column_of(places_of_chosen(6), 1)}},
                                      {}}});
    Dataflow flow = trace(source);
    find_parts(source, flow, {2, 3, 4, 5});
    EXPECT_EQ(producer_of(flow, "/index/3/input/rows"), "/nonzero/1/output/out");
    EXPECT_EQ(producer_of(flow, "/index/3/input/columns"), "/nonzero/1/output/out");
    EXPECT_EQ(at_path(flow, "/index/3/input/columns").passage, Passage::kPart);
    EXPECT_EQ(producer_of(flow, "/index/3/input/others"), "");
    EXPECT_EQ(producer_of(flow, "/index/3/input/few"), "");
}

TEST(FindParts, finds_nothing_for_other_elements_and_plain_ones) {
    const Tensor a = random_tensor({12, 5}, 1);
    const Source source = hand_made({{"relu", {}, {{"out", a}}},
                                     {"mm",
                                      {{"self", with_element(rows(a, 3, 4), 7, 0.3f)},
                                       {"mat2", Tensor::zeros(DType::kFloat32, {5})},
                                       {"bias", rows(a, 0, 1)}},
                                      {{"out", rows(a, 5, 2)}}},
                                     {"sum", {{"self", rows(a, 5, 1)}}, {}}});
    Dataflow flow = trace(source);
    find_parts(source, flow, {1, 2, 3, 5});
    EXPECT_EQ(producer_of(flow, "/mm/2/input/self"), "");
    EXPECT_EQ(producer_of(flow, "/mm/2/input/mat2"), "");
    EXPECT_EQ(producer_of(flow, "/mm/2/input/bias"), "/relu/1/output/out");
    EXPECT_EQ(producer_of(flow, "/sum/3/input/self"), "/mm/2/output/out");
}

TEST(FindParts, finds_rows_of_16_bit_tensors_and_is_unsure_of_single_elements) {
    const Tensor a = random_tensor({40, 8}, 1).cast(DType::kBFloat16).cast(DType::kFloat32);
    const Tensor slice = rows(a, 10, 6);
    // Elements of a, but no four of them in a row.
    Tensor mixed = slice;
    for (size_t i = 0; i < 48; ++i)
        mixed.mutable_as<float>()[i] = a.as<float>()[i * 37 % 320];
    const Source source =
        hand_made({{"relu", {}, {{"out", a}}}, {"mm", {{"self", slice}, {"mat2", mixed}}, {}}});
    Dataflow flow = trace(source);
    find_parts(source, flow, {1, 2});
    EXPECT_EQ(producer_of(flow, "/mm/2/input/self"), "/relu/1/output/out");
    EXPECT_FALSE(at_path(flow, "/mm/2/input/self").ambiguous);
    EXPECT_TRUE(at_path(flow, "/mm/2/input/mat2").ambiguous);
}

}  // namespace
}  // namespace npuscope::compare
