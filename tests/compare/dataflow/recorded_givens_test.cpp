#include "compare/dataflow/recorded_givens.h"

#include <gtest/gtest.h>

#include "tests/compare/dataflow/hand_made.h"

namespace npuscope::compare {
namespace {

using Facts = std::vector<dumpfile::GivenFact>;
using Texts = std::vector<std::string>;

/// A golden of one op of that name, and what load mode recorded of the target's run of it.
struct Loaded {
    std::string name;
    std::vector<std::pair<std::string, Tensor>> inputs;
    Facts given;
    bool training = false;

    [[nodiscard]] Source golden() const {
        return hand_made({{name, inputs, {{"out", random_tensor({4}, 9)}}, "fc", "net.py:20"},
                          {name, inputs, {{"out", random_tensor({4}, 9)}}, "fc", "net.py:20"}});
    }
    [[nodiscard]] Source target() const {
        Source source =
            hand_made({{name, {}, {{"out", random_tensor({4}, 9)}}, "fc", "net.py:20"},
                       {name, {}, {{"out", random_tensor({4}, 9)}}, "fc", "net.py:20"}});
        source.has_inputs = false;
        for (SourceOp& op : source.ops)
            op.facts = [facts = op.facts, rows = given, trains = training] {
                SideFacts side = facts();
                side.recorded.given = rows;
                if (trains)
                    side.arguments.push_back({.name = "training", .numbers = {1}, .is_bool = true});
                return side;
            };
        return source;
    }
};

struct Told {
    std::vector<RecordedGiven> found;
    Texts remarks;
};

Told told(const Loaded& loaded) {
    const TracedPair pair(loaded.target(), loaded.golden());
    Told result;
    result.found = recorded_givens(pair.flows, result.remarks);
    return result;
}

TEST(RecordedGivens, tell_a_tensor_at_its_first_use_only) {
    const Told result =
        told({"mm",
              {{"self", random_tensor({2, 2}, 1)}, {"mat2", random_tensor({2, 2}, 2)}},
              {{"mat2", "it is its transpose"}}});
    ASSERT_EQ(result.found.size(), 1u);
    EXPECT_EQ(result.found[0].pair, 0u);
    EXPECT_EQ(result.found[0].path, "/mm/1/input/mat2");
    EXPECT_FALSE(result.found[0].is_number);
    EXPECT_EQ(result.found[0].text,
              "weight `mat2` of /mm/1 (fc, net.py:20) is not the golden's: it is its transpose");
    EXPECT_TRUE(result.remarks.empty());
}

TEST(RecordedGivens, tell_a_number_at_every_use) {
    const Told result =
        told({"gelu", {{"self", random_tensor({4}, 1)}}, {{"alpha", "2, the golden's 1", true}}});
    ASSERT_EQ(result.found.size(), 2u);
    EXPECT_TRUE(result.found[0].is_number);
    EXPECT_EQ(result.found[1].text,
              "number `alpha` of /gelu/2 (fc, net.py:20) is not the golden's: 2, the golden's 1");
}

TEST(RecordedGivens, leave_what_an_op_does_not_read) {
    const Tensor count = Tensor::from<int64_t>({1}, std::vector<int64_t>{3});
    EXPECT_TRUE(told({"add__Tensor", {{"self", count}}, {{"self", "1 of 1 elements differ"}}})
                    .found.empty())
        << "a counter of saved states";
    EXPECT_TRUE(told({"normal_", {{"self", random_tensor({4}, 1)}}, {{"self", "it is zero"}}})
                    .found.empty())
        << "what is overwritten";
    Loaded norm{"native_batch_norm",
                {{"running_mean", random_tensor({4}, 1)}},
                {{"running_mean", "it is zero"}}};
    EXPECT_EQ(told(norm).found.size(), 1u);
    norm.training = true;
    const Told unread = told(norm);
    EXPECT_TRUE(unread.found.empty());
    EXPECT_EQ(unread.remarks,
              Texts{"/native_batch_norm/1/input/running_mean is not the golden's; in training the "
                    "op does not read it"});
}

}  // namespace
}  // namespace npuscope::compare
