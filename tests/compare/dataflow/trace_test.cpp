#include "compare/dataflow/trace.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "compare/dataflow/find_part.h"
#include "core/base/error.h"
#include "tests/compare/dataflow/hand_made.h"

namespace npuscope::compare {
namespace {

TEST(Trace, finds_what_an_input_holds_through_unrecorded_views_and_casts) {
    const Tensor a = random_tensor({6, 4}, 1);
    const Tensor b = random_tensor({6, 4}, 2);
    const Source source = hand_made({{"relu", {{"self", random_tensor({6, 4}, 3)}}, {{"out", a}}},
                                     {"gelu", {{"self", a}}, {{"out", b}}},
                                     {"mm", {{"self", transposed(a)}}, {}},
                                     {"sum", {{"self", b.reshaped({2, 12})}}, {}},
                                     {"mul", {{"self", b.cast(DType::kFloat16)}}, {}},
                                     {"div", {{"self", b.cast(DType::kBFloat16)}}, {}}});
    const Dataflow flow = trace(source);
    EXPECT_EQ(producer_of(flow, "/relu/1/input/self"), "");
    EXPECT_EQ(producer_of(flow, "/gelu/2/input/self"), "/relu/1/output/out");
    EXPECT_EQ(at_path(flow, "/gelu/2/input/self").passage, Passage::kAsIs);
    EXPECT_EQ(producer_of(flow, "/mm/3/input/self"), "/relu/1/output/out");
    EXPECT_EQ(at_path(flow, "/mm/3/input/self").passage, Passage::kReordered);
    EXPECT_EQ(producer_of(flow, "/sum/4/input/self"), "/gelu/2/output/out");
    EXPECT_EQ(at_path(flow, "/sum/4/input/self").passage, Passage::kAsIs);
    for (const char* path : {"/mul/5/input/self", "/div/6/input/self"}) {
        EXPECT_EQ(producer_of(flow, path), "/gelu/2/output/out");
        EXPECT_EQ(at_path(flow, path).passage, Passage::kRounded);
    }
}

TEST(Trace, takes_the_latest_earlier_producer) {
    const Tensor a = random_tensor({5}, 1);
    const Dataflow flow = trace(hand_made({{"relu", {}, {{"out", a}}},
                                           {"clone", {{"self", a}}, {{"out", a}}},
                                           {"sum", {{"self", a}}, {{"out", a}}}}));
    EXPECT_EQ(producer_of(flow, "/clone/2/input/self"), "/relu/1/output/out");
    EXPECT_EQ(producer_of(flow, "/sum/3/input/self"), "/clone/2/output/out");
}

TEST(Trace, calls_zeros_and_ones_ambiguous) {
    const Tensor zeros = Tensor::zeros(DType::kFloat32, {4, 4});
    const Dataflow flow =
        trace(hand_made({{"zeros_like", {}, {{"out", zeros}}}, {"mul", {{"self", zeros}}, {}}}));
    EXPECT_TRUE(at_path(flow, "/mul/2/input/self").ambiguous);
}

TEST(Trace, knows_a_given_tensor_again) {
    const Tensor weight = random_tensor({6, 4}, 1);
    const Dataflow flow = trace(hand_made({{"mm", {{"mat2", weight}}, {}},
                                           {"mm", {{"mat2", transposed(weight)}}, {}},
                                           {"mm", {{"mat2", transposed(weight)}}, {}},
                                           {"mm", {{"mat2", random_tensor({6, 4}, 2)}}, {}}}));
    EXPECT_EQ(flow.tensors[0].given, 0u);
    EXPECT_EQ(flow.tensors[1].given, 0u);
    EXPECT_EQ(flow.tensors[2].given, 0u);
    EXPECT_EQ(flow.tensors[3].given, 3u);
}

TEST(Trace, leaves_out_what_cannot_be_read) {
    Source source = hand_made({{"relu", {{"self", random_tensor({3}, 1)}}, {}}});
    const auto load = source.ops[0].load;
    source.ops[0].load = [load] {
        auto tensors = load();
        tensors[0].open = []() -> std::unique_ptr<ElementSource> {
            throw Error(ErrorKind::kIo, "gone");
        };
        return tensors;
    };
    const Dataflow flow = trace(source);
    ASSERT_EQ(flow.tensors.size(), 1u);
    EXPECT_FALSE(flow.tensors[0].content);
    EXPECT_FALSE(flow.tensors[0].given);
}

TEST(Trace, does_not_depend_on_threads) {
    const Source source = recorded_step("convolution_cpu");
    const Dataflow one = trace(source, 1);
    const Dataflow three = trace(source, 3);
    ASSERT_EQ(one.tensors.size(), three.tensors.size());
    for (size_t i = 0; i < one.tensors.size(); ++i) {
        EXPECT_EQ(one.tensors[i].producer, three.tensors[i].producer);
        EXPECT_EQ(one.tensors[i].given, three.tensors[i].given);
    }
}

/// Of the inputs that lie in what some op wrote: how many the trace gives to that op, or to one
/// whose output is a copy of it.
std::pair<int, int> right_producers(const std::string& step) {
    const Source source = recorded_step(step);
    Dataflow flow = trace(source);
    std::vector<size_t> inputs(flow.tensors.size());
    for (size_t i = 0; i < inputs.size(); ++i)
        inputs[i] = i;
    std::erase_if(inputs, [&](size_t i) { return !flow.tensors[i].given; });
    find_parts(source, flow, inputs);
    const auto truth = nlohmann::json::parse(
        test::read_file(test::source_dir() / "data/recordings/steps" / (step + ".json")));
    int right = 0;
    int all = 0;
    for (const TracedTensor& input : flow.tensors) {
        if (!truth.contains(input.path) || truth[input.path].is_null()) continue;
        ++all;
        if (!input.producer) continue;
        const TracedTensor& found = flow.tensors[*input.producer];
        const std::string writer = truth[input.path].get<std::string>() + "/";
        const bool hit = std::ranges::any_of(flow.tensors, [&](const TracedTensor& made) {
            return made.direction == dumpfile::Direction::kOutput &&
                   made.path.starts_with(writer) &&
                   made.content->sequence == found.content->sequence;
        });
        right += hit ? 1 : 0;
    }
    return {right, all};
}

TEST(Trace, finds_the_producers_that_pytorch_knows) {
    for (const char* step : {"mlp_cpu", "attention_cpu", "convolution_cpu"}) {
        const auto [right, all] = right_producers(step);
        EXPECT_GE(right, 0.95 * all) << step << ": " << right << " of " << all;
        EXPECT_GT(all, 40) << step;
    }
}

// What it held before, which something made, is not recorded.
TEST(Trace, knows_nothing_of_what_was_written_over_before_it_was_recorded) {
    const Tensor made = random_tensor({4, 8}, 1);
    const Tensor sum = random_tensor({4, 8}, 2);
    Source source =
        hand_made({{"tanh", {}, {{"result", made}}},
                   {"add__Tensor", {{"self", sum}, {"other", made}}, {{"result", sum}}}});
    const auto has_content = [&] {
        const Dataflow flow = trace(source);
        std::vector<bool> known;
        for (const TracedTensor& tensor : flow.of_op(1))
            known.push_back(tensor.content.has_value());
        return known;
    };
    EXPECT_EQ(has_content(), (std::vector<bool>{true, true, true}));
    source.ops[1].shows_self_after = true;
    EXPECT_EQ(has_content(), (std::vector<bool>{false, true, true}));
}

}  // namespace
}  // namespace npuscope::compare
