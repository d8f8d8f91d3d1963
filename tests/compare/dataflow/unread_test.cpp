#include "compare/dataflow/unread.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/compare/dataflow/hand_made.h"

namespace npuscope::compare {
namespace {

const Tensor kFilledRows = random_tensor({4, 3}, 1);

/// The rows from `first` on, up to `last`, are kFilledRows'.
Tensor filled(Tensor memory, size_t first, size_t last) {
    for (size_t i = first * 3; i < last * 3; ++i)
        memory.mutable_as<float>()[i] = kFilledRows.as<float>()[i];
    return memory;
}

/// Two copies of two rows each into memory that `seed` tells, or only one.
Source copies(const Tensor& memory, size_t last = 4) {
    const Tensor half = filled(memory, 0, 2);
    return hand_made({{"index_copy_", {{"self", memory}}, {{"self", half}}},
                      {"index_copy_", {{"self", half}}, {{"self", filled(half, 2, last)}}}});
}

bool unread(const Source& target, const Source& golden) {
    TracedPair pair(target, golden);
    return is_written_before_read(pair.flows, pair.flows.inputs().at(0));
}

TEST(Unread, is_memory_that_several_ops_write_over) {
    const Tensor other = random_tensor({4, 3}, 2);
    EXPECT_TRUE(unread(copies(random_tensor({4, 3}, 3)), copies(other)));
    EXPECT_TRUE(unread(copies(with_element(other, 1, NAN)), copies(other)));
    EXPECT_FALSE(unread(copies(random_tensor({4, 3}, 3), 3), copies(other, 3)));
}

TEST(Unread, is_not_what_a_result_shows) {
    const auto scaled = [](unsigned seed) {
        const Tensor self = random_tensor({4, 3}, seed);
        return hand_made({{"mul__Tensor", {{"self", self}}, {{"self", changed(self, [](float x) {
                                                                  return x * 0.9F;
                                                              })}}}});
    };
    EXPECT_FALSE(unread(scaled(1), scaled(2)));
    const auto copied = [](unsigned seed) {
        return hand_made(
            {{"neg", {{"self", random_tensor({3}, seed)}}, {{"result", kFilledRows}}}});
    };
    EXPECT_FALSE(unread(copied(1), copied(2)));
}

// Who else takes the half that was written in may read the rest.
TEST(Unread, is_not_what_another_op_takes_before_it_is_written_over) {
    const auto read = [](unsigned seed) {
        const Tensor memory = random_tensor({4, 3}, seed);
        const Tensor half = filled(memory, 0, 2);
        return hand_made({{"index_copy_", {{"self", memory}}, {{"self", half}}},
                          {"sum", {{"self", half}}, {{"result", Tensor::scalar(1.5F)}}},
                          {"index_copy_", {{"self", half}}, {{"self", filled(half, 2, 4)}}}});
    };
    EXPECT_FALSE(unread(read(2), read(3)));
}

}  // namespace
}  // namespace npuscope::compare
