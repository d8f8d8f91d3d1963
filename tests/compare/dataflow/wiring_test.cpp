#include "compare/dataflow/wiring.h"

#include <gtest/gtest.h>

#include "tests/compare/dataflow/hand_made.h"

namespace npuscope::compare {
namespace {

using Wires = std::vector<std::string>;

const Tensor kA = random_tensor({6, 6}, 1);
const Tensor kB = random_tensor({6, 6}, 2);
const Tensor kC = random_tensor({6, 6}, 3);
const Tensor kScale = random_tensor({6, 6}, 77);

Tensor noisy(const Tensor& tensor, float noise) {
    return changed(tensor,
                   [&, sign = 1.f](float x) mutable { return x * (1 + (sign = -sign) * noise); });
}

/// relu makes a, gelu makes b, mm takes `self` and b.
std::vector<HandMadeOp> wired(const Tensor& self, float noise = 0) {
    return {{"relu", {}, {{"out", noisy(kA, noise)}}},
            {"gelu", {}, {{"out", noisy(kB, noise)}}},
            {"mm",
             {{"self", self}, {"mat2", noisy(kB, noise)}},
             {{"out", noisy(kC, noise)}},
             "a",
             "net.py:20"}};
}

Wires wires(const std::vector<HandMadeOp>& target, const std::vector<HandMadeOp>& golden) {
    TracedPair pair(hand_made(target), hand_made(golden));
    Wires texts;
    for (const WiringFinding& finding : wrong_wires(pair.flows))
        texts.push_back(finding.text);
    return texts;
}

const std::string kWrong =
    "input `self` of /mm/3 (a, net.py:20) is not what /relu/1 made (in the golden it is); ";

TEST(WrongWires, names_the_op_that_made_it_instead) {
    EXPECT_EQ(wires(wired(noisy(kB, 0.01f), 0.01f), wired(kA)),
              Wires{kWrong + "it is what /gelu/2 made"});
}

TEST(WrongWires, names_the_modules_of_makers_that_are_others) {
    std::vector<HandMadeOp> target = wired(kB);
    target[0].module = "a";
    target[1].module = "a.gate";
    EXPECT_EQ(wires(target, wired(kA)), Wires{kWrong + "it is what /gelu/2 (a.gate) made"});
    target[0].module = "a.up";
    EXPECT_EQ(wires(target, wired(kA)),
              Wires{"input `self` of /mm/3 (a, net.py:20) is not what /relu/1 (a.up) made (in the "
                    "golden it is); it is what /gelu/2 (a.gate) made"});
}

/// relu makes a; nll_loss_backward a few numbers, of which a part of any two rows may be made; the
/// last takes one of both.
std::vector<HandMadeOp> of_loss(bool lost) {
    const Tensor few = changed(kB, [i = 0](float) mutable { return i++ % 20 == 3 ? -0.5f : 0.f; });
    return {{"relu", {}, {{"out", kA}}},
            {"nll_loss_backward", {}, {{"out", few}}},
            {"mul_Scalar", {{"self", lost ? kA : few}}, {{"out", kC}}}};
}

// The golden's input does not tell which op made it; the target's does, and what it should be is
// lost.
TEST(WrongWires, are_told_by_the_target_alone) {
    EXPECT_EQ(wires(of_loss(true), of_loss(false)),
              Wires{"input `self` of /mul_Scalar/3 is not what /nll_loss_backward/2 made (in the "
                    "golden it is); it is what /relu/1 made"});
    EXPECT_TRUE(wires(of_loss(false), of_loss(false)).empty());
}

/// relu makes a, gelu makes b, `op` takes both.
std::vector<HandMadeOp> joined(const std::string& op, const Tensor& self, const Tensor& other) {
    return {{"relu", {}, {{"out", kA}}},
            {"gelu", {}, {{"out", kB}}},
            {op, {{"self", self}, {"other", other}}, {{"out", kC}}, "a", "net.py:20"}};
}

// Gradients are added up in the order in which they come.
TEST(WrongWires, are_none_where_a_sums_operands_are_exchanged) {
    EXPECT_TRUE(wires(joined("add_Tensor", kB, kA), joined("add_Tensor", kA, kB)).empty());
    EXPECT_FALSE(wires(joined("sub_Tensor", kB, kA), joined("sub_Tensor", kA, kB)).empty());
}

/// Three results added up, the pair `first` and `second` before the third.
std::vector<HandMadeOp> added_up(const Tensor& first, const Tensor& second, const Tensor& third) {
    const Tensor kSum = random_tensor({6, 6}, 44);
    return {{"relu", {}, {{"out", kA}}},
            {"gelu", {}, {{"out", kB}}},
            {"tanh", {}, {{"out", kC}}},
            {"add_Tensor", {{"self", first}, {"other", second}}, {{"out", kSum}}},
            {"add_Tensor", {{"self", kSum}, {"other", third}}, {{"out", kScale}}}};
}

TEST(WrongWires, are_none_where_several_are_added_up_in_another_order) {
    EXPECT_TRUE(wires(added_up(kB, kC, kA), added_up(kA, kB, kC)).empty());
    EXPECT_FALSE(wires(added_up(kB, kC, kC), added_up(kA, kB, kC)).empty());  // kA is lost
}

TEST(WrongWires, tells_another_order_of_the_right_elements) {
    EXPECT_EQ(wires(wired(transposed(noisy(kA, 0.01f)), 0.01f), wired(kA)),
              Wires{kWrong + "it is its transpose"});
    EXPECT_EQ(wires(wired(kA), wired(transposed(kA))), Wires{kWrong + "it is its transpose"});
}

// Elements to the bit in another order are no noise, however much of that there is.
TEST(WrongWires, tells_another_order_behind_much_noise) {
    EXPECT_EQ(wires(wired(transposed(noisy(kA, 0.3f)), 0.3f), wired(kA)),
              Wires{kWrong + "it is its transpose"});
    EXPECT_TRUE(wires(wired(noisy(kA, 0.3f), 0.3f), wired(kA)).empty());
}

// What an unrecorded cast rounds may be in another order as well.
TEST(WrongWires, tells_another_order_of_rounded_elements) {
    const auto narrow = [](const Tensor& tensor) { return tensor.cast(DType::kBFloat16); };
    const auto wide = [](const Tensor& tensor) { return tensor.cast(DType::kFloat32); };
    auto target = wired(narrow(transposed(wide(narrow(kA)))));
    target[0].outputs[0].second = wide(narrow(kA));  // of 16 bits already
    EXPECT_EQ(wires(target, wired(narrow(kA))), Wires{kWrong + "it is its transpose"});
    EXPECT_TRUE(wires(wired(narrow(kA)), wired(narrow(kA))).empty());
}

TEST(WrongWires, tells_what_nobody_made_and_what_was_edited) {
    EXPECT_EQ(wires(wired(random_tensor({6, 6}, 9), 0.01f), wired(kA)),
              Wires{kWrong + "nobody made it"});
    EXPECT_EQ(wires(wired(with_element(kA, 7, 0.5f)),
                    wired(with_element(kA, 99 % 36, kA.as<float>()[27]))),
              Wires{kWrong + "one element of 36 differs, [1,1]: 0.5 against " + [] {
                  char text[32];
                  snprintf(text, sizeof text, "%.6g", static_cast<double>(kA.as<float>()[7]));
                  return std::string(text);
              }()});
}

TEST(WrongWires, says_nothing_of_clean_pairs_with_noise_views_and_casts) {
    EXPECT_EQ(wires(wired(noisy(kA, 0.01f), 0.01f), wired(kA)), Wires{});
    EXPECT_EQ(wires(wired(transposed(noisy(kA, 0.01f)), 0.01f), wired(transposed(kA))), Wires{});
    EXPECT_EQ(wires(wired(noisy(kA, 0.01f).cast(DType::kFloat16), 0.01f), wired(kA)), Wires{});
    EXPECT_EQ(wires(wired(noisy(kA, 0.01f), 0.01f), wired(kA.cast(DType::kBFloat16))), Wires{});
}

TEST(WrongWires, says_nothing_where_the_producer_itself_is_off) {
    auto target = wired(random_tensor({6, 6}, 9));
    target[0].outputs[0].second = random_tensor({6, 6}, 8);
    EXPECT_EQ(wires(target, wired(kA)), Wires{});
}

TEST(WrongWires, names_what_is_taken_to_the_bit_where_numbers_are_far) {
    // mul takes what gelu made, and nobody what relu made any more; both are far from the golden's.
    const auto program = [&](const Tensor& first, const Tensor& second, bool is_second) {
        return std::vector<HandMadeOp>{
            {"relu", {}, {{"out", first}}},
            {"gelu", {}, {{"out", second}}},
            {"mul", {{"self", is_second ? second : first}}, {{"out", kC}}}};
    };
    const Wires found = wires(program(random_tensor({6, 6}, 8), random_tensor({6, 6}, 9), true),
                              program(kA, kB, false));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0],
              "input `self` of /mul/3 is not what /relu/1 made (in the golden it is); it is what "
              "/gelu/2 made");
}

TEST(WrongWires, says_nothing_of_crosswise_pairs) {
    const auto branches = [&](const Tensor& first, const Tensor& second) {
        return std::vector<HandMadeOp>{{"relu", {}, {{"out", kA}}},
                                       {"gelu", {}, {{"out", kB}}},
                                       {"mul", {{"self", first}}, {}},
                                       {"mul", {{"self", second}}, {}}};
    };
    EXPECT_EQ(wires(branches(kB, kA), branches(kA, kB)), Wires{});
    EXPECT_EQ(wires(branches(kB, kB), branches(kA, kB)).size(), 1u);
}

TEST(WrongWires, tells_swapped_operands_where_another_input_shows_who_is_who) {
    // mul takes the branches in turn; `scale` is another in each, and right.
    const auto branches = [&](const Tensor& first, const Tensor& second) {
        return std::vector<HandMadeOp>{{"relu", {}, {{"out", kA}}},
                                       {"gelu", {}, {{"out", kB}}},
                                       {"mul", {{"self", first}, {"scale", kC}}, {}},
                                       {"mul", {{"self", second}, {"scale", kScale}}, {}}};
    };
    const Wires found = wires(branches(kB, kA), branches(kA, kB));
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(wires(branches(kA, kB), branches(kA, kB)), Wires{});
}

TEST(WrongWires, says_nothing_where_an_op_changed_nothing_in_the_golden) {
    // A relu of positive elements alone: the branch that skips it takes the same elements.
    const Tensor positive = changed(kA, [](float x) { return std::abs(x) + 0.1f; });
    const Tensor before = with_element(positive, 3, -0.7f);
    const Tensor after = with_element(positive, 3, 0);
    const auto program = [&](const Tensor& in, const Tensor& out) {
        return std::vector<HandMadeOp>{{"mul", {}, {{"out", in}}},
                                       {"relu", {{"self", in}}, {{"out", out}}},
                                       {"sum", {{"self", in}}, {}}};
    };
    EXPECT_EQ(wires(program(before, after), program(positive, positive)), Wires{});
}

TEST(WrongWires, says_nothing_of_memory_that_is_only_overwritten) {
    const auto program = [&](const Tensor& old) {
        return std::vector<HandMadeOp>{{"relu", {}, {{"out", kA}}}, {"copy_", {{"self", old}}, {}}};
    };
    EXPECT_EQ(wires(program(kC), program(kA)), Wires{});
}

TEST(WrongWires, finds_a_wrong_slice) {
    const Tensor whole = random_tensor({12, 6}, 5);
    const auto rows = [&](size_t first) {
        return Tensor::from<float>({4, 6}, whole.as<float>().subspan(first * 6, 24));
    };
    const auto program = [&](size_t first) {
        return std::vector<HandMadeOp>{{"addmm", {}, {{"out", whole}}},
                                       {"bmm", {{"self", rows(first)}}, {}}};
    };
    EXPECT_EQ(wires(program(4), program(4)), Wires{});
    const Wires found = wires(program(5), program(4));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_TRUE(found[0].starts_with("input `self` of /bmm/2 is not what /addmm/1 made"))
        << found[0];
}

TEST(WrongWires, finds_nothing_in_recorded_clean_pairs) {
    for (const std::string step : {"mlp", "attention", "convolution"}) {
        TracedPair pair(recorded_step(step + "_910A"), recorded_step(step + "_cpu"));
        for (const WiringFinding& finding : wrong_wires(pair.flows))
            ADD_FAILURE() << step << ": " << finding.text;
    }
}

}  // namespace
}  // namespace npuscope::compare
