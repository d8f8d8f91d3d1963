#include "compare/dataflow/givens.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/compare/dataflow/hand_made.h"

namespace npuscope::compare {
namespace {

const Tensor kInput = random_tensor({4, 6}, 1);
const Tensor kWeight = random_tensor({6, 6}, 2);
const Tensor kOther = random_tensor({6, 6}, 3);
const Tensor kHidden = random_tensor({4, 6}, 4);
const Tensor kLogits = random_tensor({4, 6}, 5);
const Tensor kGradient = random_tensor({4, 6}, 6);

/// Two layers forward and the first product backward, which uses the second weight again.
std::vector<HandMadeOp> program(const Tensor& input,
                                const Tensor& weight,
                                const Tensor& other,
                                float noise = 0) {
    const auto noisy = [&](const Tensor& tensor) {
        return changed(tensor, [&](float x) { return x * (1 + noise); });
    };
    return {
        {"mm", {{"self", input}, {"mat2", weight}}, {{"out", noisy(kHidden)}}, "a", "net.py:20"},
        {"mm",
         {{"self", noisy(kHidden)}, {"mat2", other}},
         {{"out", noisy(kLogits)}},
         "b",
         "net.py:21"},
        {"threshold_backward", {{"self", noisy(kLogits)}}, {{"out", noisy(kGradient)}}},
        {"mm",
         {{"self", noisy(kGradient)}, {"mat2", transposed(other)}},
         {{"out", noisy(kInput)}}}};
}

std::vector<std::string> findings(const std::vector<HandMadeOp>& target,
                                  const std::vector<HandMadeOp>& golden) {
    TracedPair pair(hand_made(target), hand_made(golden));
    std::vector<std::string> texts;
    for (const GivenFinding& finding : differing_givens(pair.flows).findings)
        texts.push_back(finding.text);
    return texts;
}

using Texts = std::vector<std::string>;

TEST(DifferingGivens, tells_a_weight_once_with_its_place) {
    EXPECT_EQ(
        findings(program(kInput, kWeight, transposed(kOther), 1e-3f),
                 program(kInput, kWeight, kOther)),
        Texts{"weight `mat2` of /mm/2 (b, net.py:21) is not the golden's: it is its transpose"});
}

TEST(DifferingGivens, tells_several_in_the_order_of_use) {
    const Tensor flipped = changed(kInput, [](float x) { return -x; });
    EXPECT_EQ(
        findings(program(flipped, changed(kWeight, [](float x) { return x * 1.5f; }), kOther),
                 program(kInput, kWeight, kOther)),
        (Texts{"input `self` of /mm/1 (a, net.py:20) is not the golden's: its sign is changed",
               "weight `mat2` of /mm/1 (a, net.py:20) is not the golden's: it is scaled by 1.5"}));
}

TEST(DifferingGivens, tells_a_weight_that_an_op_only_shows_otherwise) {
    const auto shown = [](const Tensor& weight, float noise) {
        std::vector<HandMadeOp> ops = program(kInput, kWeight, kOther, noise);
        const Tensor x = changed(kHidden, [&](float each) { return each * (1 - noise); });
        ops.insert(ops.begin() + 2,
                   {{"t", {{"self", weight}}, {{"out", transposed(weight)}}},
                    {"addmm", {{"mat1", x}, {"mat2", transposed(weight)}}, {{"out", kInput}}}});
        return ops;
    };
    const Tensor own = random_tensor({5, 6}, 71);
    const Tensor stale = changed(own, [](float x) { return x + 0.02F * std::cos(99 * x); });
    const auto found = findings(shown(stale, 1e-2F), shown(own, 0));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_TRUE(found[0].starts_with("input `self` of /t/3 is not the golden's: 30 of 30"))
        << found[0];
}

TEST(DifferingGivens, recognises_another_layers_weight) {
    EXPECT_EQ(findings(program(kInput, kOther, kOther), program(kInput, kWeight, kOther)),
              Texts{"weight `mat2` of /mm/1 (a, net.py:20) is not the golden's: it is the golden's "
                    "/mm/2/input/mat2"});
}

TEST(DifferingGivens, says_nothing_of_clean_pairs) {
    const auto golden = program(kInput, kWeight, kOther);
    EXPECT_EQ(findings(golden, golden), Texts{});
    EXPECT_EQ(findings(program(kInput, kWeight, kOther, 1e-3f), golden), Texts{});
    EXPECT_EQ(findings(program(kInput.cast(DType::kFloat16).cast(DType::kFloat16),
                               kWeight.cast(DType::kBFloat16),
                               kOther,
                               1e-3f),
                       golden),
              Texts{});
}

TEST(DifferingGivens, tells_a_weight_that_only_a_later_use_gets_wrong) {
    auto target = program(kInput, kWeight, kOther);
    target[3].inputs[1].second = random_tensor({6, 6}, 77);
    const auto found = findings(target, program(kInput, kWeight, kOther));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_TRUE(found[0].starts_with("weight `mat2` of /mm/4 is not the golden's: 36 of 36"));
}

TEST(DifferingGivens, leaves_alone_what_an_unrecorded_step_changed) {
    const auto two_steps = [&](float noise) {
        auto ops = program(kInput, kWeight, kOther, noise);
        const auto updated = [&](const Tensor& tensor) {
            return changed(tensor, [&](float x) { return x * (0.99f + noise) + 0.01f; });
        };
        for (const HandMadeOp& op : program(kInput, updated(kWeight), updated(kOther), noise))
            ops.push_back(op);
        return ops;
    };
    EXPECT_EQ(findings(two_steps(1e-3f), two_steps(0)), Texts{});
}

TEST(DifferingGivens, tells_of_a_later_tensor_what_no_noise_makes) {
    const auto step = [&](const Tensor& weight) {
        auto ops = program(kInput, kWeight, kOther);
        ops.push_back({"add__Tensor", {{"self", weight}}, {}});
        return ops;
    };
    const Tensor own = random_tensor({6, 5}, 70);
    EXPECT_EQ(
        findings(step(own.cast(DType::kFloat16).cast(DType::kFloat32)), step(own)),
        Texts{"input `self` of /add__Tensor/5 is not the golden's: it is rounded to float16"});
    EXPECT_EQ(findings(step(transposed(own)), step(own)).size(), 1u);
    EXPECT_EQ(findings(step(changed(own, [](float x) { return x * 1.01f; })), step(own)), Texts{});
}

TEST(DifferingGivens, judges_running_statistics_at_their_first_use_only) {
    const auto norms = [](const Tensor& first, const Tensor& second) {
        return std::vector<HandMadeOp>{
            {"native_batch_norm", {{"running_mean", first}}, {}, "norm", "net.py:3"},
            {"native_batch_norm", {{"running_mean", second}}, {}, "norm", "net.py:3"}};
    };
    const Tensor zeros = Tensor::zeros(DType::kFloat32, {6});
    const Tensor a = random_tensor({6}, 1);
    const Tensor b = random_tensor({6}, 2);
    EXPECT_EQ(findings(norms(zeros, a), norms(zeros, b)), Texts{});
    const auto stale = findings(norms(a, b), norms(zeros, b));
    ASSERT_EQ(stale.size(), 1u);
    EXPECT_TRUE(
        stale[0].starts_with("buffer `running_mean` of /native_batch_norm/1 (norm, net.py:3) is "
                             "not the golden's: 6 of"));
}

// Some op makes zeros by chance.
TEST(DifferingGivens, tells_statistics_that_are_as_zero_as_what_an_op_made) {
    const Tensor zeros = Tensor::zeros(DType::kFloat32, {6});
    const auto norm = [&](const Tensor& mean) {
        return std::vector<HandMadeOp>{
            {"detach", {}, {{"out", zeros}}},
            {"native_batch_norm", {{"running_mean", mean}}, {}, "norm", "net.py:3"}};
    };
    const auto found = findings(norm(zeros), norm(random_tensor({6}, 1)));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_TRUE(found[0].starts_with("buffer `running_mean` of /native_batch_norm/2")) << found[0];
}

/// A buffer that was never loaded, behind a pool that chose others of nearly equal elements.
TEST(DifferingGivens, takes_places_of_elements_for_no_noise) {
    const Tensor variance = changed(random_tensor({8}, 9), [](float x) { return 1 + x / 4; });
    const auto ops = [&](float noise, const Tensor& running, unsigned chosen) {
        const Tensor x = changed(kHidden, [&](float each) { return each * (1 + noise); });
        const Tensor places = changed(random_tensor({4, 6}, chosen), [](float each) {
                                  return 99 * each;
                              }).cast(DType::kInt64);
        return std::vector<HandMadeOp>{
            {"max_pool2d_with_indices", {{"self", kInput}}, {{"result0", x}, {"result1", places}}},
            {"native_batch_norm", {{"input", x}, {"running_var", running}}, {{"out", x}}}};
    };
    const Tensor ones = changed(variance, [](float) { return 1.0F; });
    ASSERT_EQ(findings(ops(0.01F, variance, 11), ops(0, variance, 12)), Texts());
    const Texts found = findings(ops(0.01F, ones, 11), ops(0, variance, 12));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_TRUE(found.front().starts_with("buffer `running_var` of /native_batch_norm/2"));
}

TEST(DifferingGivens, leaves_alone_gradients_and_what_is_overwritten) {
    const auto ops = [](unsigned seed) {
        return std::vector<HandMadeOp>{
            {"copy_", {{"self", random_tensor({5}, seed)}}, {}},
            {"bernoulli__float", {{"self", random_tensor({5}, seed + 1)}}, {}},
            {"mul", {{"grad_output", random_tensor({5}, seed + 2)}}, {}},
            {"add_out", {{"out", random_tensor({5}, seed + 3)}}, {}}};
    };
    EXPECT_EQ(findings(ops(1), ops(11)), Texts{});
}

TEST(DifferingGivens, leaves_alone_what_was_cut_from_an_op) {
    const auto ops = [](float noise) {
        const Tensor whole =
            changed(random_tensor({6, 12}, 8), [&](float x) { return x * (1 + noise); });
        const Tensor half = Tensor::from<float>({3, 12}, whole.as<float>().subspan(36));
        return std::vector<HandMadeOp>{{"addmm", {{"mat2", kWeight}}, {{"out", whole}}},
                                       {"bmm", {{"self", half}}, {}}};
    };
    EXPECT_EQ(findings(ops(0.2f), ops(0)), Texts{});
}

TEST(DifferingGivens, takes_other_arithmetic_for_what_came_before) {
    // Nobody recorded what made the second input; the op before is off as well.
    const auto ops = [](float noise) {
        const Tensor other = random_tensor({6}, 20);
        const auto noisy = [&](const Tensor& tensor) {
            return changed(tensor, [&, i = size_t{0}](float x) mutable {
                return x + noise * other.as<float>()[i++];
            });
        };
        return std::vector<HandMadeOp>{{"relu", {}, {{"out", noisy(random_tensor({6}, 21))}}},
                                       {"tanh", {{"self", noisy(random_tensor({6}, 22))}}, {}}};
    };
    EXPECT_EQ(findings(ops(0.3f), ops(0)), Texts{});
    auto given = ops(0);
    given[0].outputs = ops(1e-4f)[0].outputs;
    given[1].inputs = ops(0.3f)[1].inputs;
    EXPECT_EQ(findings(given, ops(0)).size(), 1u);
}

// Arithmetic before it is another, and its share of the largest label is small.
TEST(DifferingGivens, tells_one_other_label) {
    const auto loss = [](int64_t label, float noise, const char* op = "nll_loss_forward") {
        const Tensor scores =
            changed(random_tensor({8, 50}, 8), [&](float x) { return x * (1 + noise); });
        return std::vector<HandMadeOp>{
            {"mm", {{"mat2", kWeight}}, {{"out", scores}}},
            {op,
             {{"self", scores},
              {"target", Tensor::from<int64_t>({8}, {31, 7, 49, 12, 40, label, 23, 5})}},
             {}}};
    };
    EXPECT_EQ(findings(loss(0, 0.01F), loss(2, 0)),
              Texts{"input `target` of /nll_loss_forward/2 is not the golden's: one element of 8 "
                    "differs, [5]: 0 against 2"});
    EXPECT_EQ(findings(loss(2, 0.01F), loss(2, 0)), Texts{});
    EXPECT_EQ(findings(loss(0, 0.01F, "nll_loss_backward"), loss(2, 0, "nll_loss_backward")),
              Texts{});
}

TEST(DifferingGivens, leaves_alone_masks_that_may_be_drawn_at_random) {
    const auto masked = [](size_t changed_ones, float noise) {
        Tensor mask = Tensor::zeros(DType::kBool, {64});
        for (size_t i = 0; i < 64; ++i)
            mask.mutable_as<bool>()[i] = (i * 37 % 64 < 32) != (i < changed_ones);
        const Tensor scores =
            changed(random_tensor({64}, 8), [&](float x) { return x * (1 + noise); });
        return std::vector<HandMadeOp>{{"mm", {}, {{"out", scores}}},
                                       {"masked_fill", {{"self", scores}, {"mask", mask}}, {}}};
    };
    EXPECT_EQ(findings(masked(9, 0.3F), masked(0, 0)), Texts{});
    EXPECT_EQ(findings(masked(1, 0.3F), masked(0, 0)).size(), 1u);
}

TEST(DifferingGivens, leaves_alone_memory_that_is_written_over) {
    const auto copied = [](unsigned seed) {
        return std::vector<HandMadeOp>{{"index_copy_",
                                        {{"self", random_tensor({6}, seed)}},
                                        {{"self", random_tensor({6}, 9)}}}};
    };
    EXPECT_EQ(findings(copied(1), copied(2)), Texts{});
}

TEST(DifferingGivens, says_of_unread_buffers_no_more_than_a_remark) {
    const auto norm = [](const Tensor& mean, double training) {
        Source source = hand_made({{"native_batch_norm", {{"running_mean", mean}}, {}}});
        source.ops[0].facts = [training] {
            SideFacts facts;
            facts.arguments.push_back({.name = "training", .numbers = {training}});
            return facts;
        };
        return source;
    };
    TracedPair training(norm(random_tensor({6}, 1), 1), norm(random_tensor({6}, 2), 1));
    const Givens unread = differing_givens(training.flows);
    EXPECT_TRUE(unread.findings.empty());
    EXPECT_EQ(
        unread.remarks,
        Texts{"/native_batch_norm/1/input/running_mean is not the golden's; in training the op "
              "does not read it"});
    TracedPair evaluation(norm(random_tensor({6}, 1), 0), norm(random_tensor({6}, 2), 0));
    EXPECT_EQ(differing_givens(evaluation.flows).findings.size(), 1u);
}

/// A batch norm in training, as far as it tells what moves its running mean.
Source norm_in_training(const Tensor& mean) {
    const Tensor x = random_tensor({16, 6}, 3);
    Tensor of_batch = changed(random_tensor({6}, 4), [](float each) { return each / 4; });
    Source source = hand_made({{"native_batch_norm",
                                {{"input", x}, {"running_mean", mean}},
                                {{"result0", x}, {"result1", of_batch}, {"result2", of_batch}}}});
    source.ops[0].facts = [] {
        SideFacts facts;
        facts.arguments.push_back({.name = "training", .numbers = {1}});
        facts.arguments.push_back({.name = "momentum", .numbers = {0.1}});
        return facts;
    };
    return source;
}

// What reads a statistic later, in evaluation, does so from here on.
TEST(DifferingGivens, tells_unread_buffers_that_no_batch_moves_so) {
    const Tensor mean = random_tensor({6}, 2);
    const auto told = [&](const Tensor& mine) {
        TracedPair pair(norm_in_training(mine), norm_in_training(mean));
        return differing_givens(pair.flows).findings.size();
    };
    EXPECT_EQ(told(changed(mean, [](float x) { return x * 1.3F; })), 1U);
    // A recorder that reads it behind the op.
    Tensor moved = mean;
    for (size_t i = 0; i < 6; ++i)
        moved.mutable_as<float>()[i] +=
            0.1F * (random_tensor({6}, 4).as<float>()[i] / 4 - mean.as<float>()[i]);
    EXPECT_EQ(told(moved), 0U);
}

TEST(DifferingGivens, remarks_on_nan_in_what_the_model_was_given) {
    TracedPair pair(hand_made(program(with_element(kInput, 2, NAN), kWeight, kOther)),
                    hand_made(program(kInput, kWeight, kOther)));
    const Givens givens = differing_givens(pair.flows);
    EXPECT_EQ(givens.remarks,
              Texts{"the target was given NaN: 1 of 24 elements of /mm/1/input/self"});
    ASSERT_EQ(givens.findings.size(), 1u);
}

TEST(DifferingGivens, finds_nothing_in_recorded_clean_pairs) {
    for (const std::string step : {"mlp", "attention", "convolution"}) {
        TracedPair pair(recorded_step(step + "_910A"), recorded_step(step + "_cpu"));
        const Givens givens = differing_givens(pair.flows);
        for (const GivenFinding& finding : givens.findings)
            ADD_FAILURE() << step << ": " << finding.text;
        EXPECT_TRUE(givens.remarks.empty());
        EXPECT_GT(pair.flows.inputs().size(), 50u);
    }
}

}  // namespace
}  // namespace npuscope::compare
