#include "compare/origins/origins.h"

#include <gtest/gtest.h>

#include "tests/compare/compared_programs.h"

namespace npuscope::compare {
namespace {

const Shape kEightRows = {8, 16};

/// neg of a, relu, exp: what exp takes in is relu's, unless `between` is given in its place.
std::vector<HandMadeOp> chain(float noise, const Tensor* between = nullptr) {
    const Tensor a = random_tensor(kEightRows, 1);
    const Tensor b =
        noise > 0 ? off_by(random_tensor(kEightRows, 2), noise, 12) : random_tensor(kEightRows, 2);
    const Tensor c =
        noise > 0 ? off_by(random_tensor(kEightRows, 3), noise, 13) : random_tensor(kEightRows, 3);
    const Tensor& taken = between == nullptr ? c : *between;
    const Tensor d = between == nullptr && noise == 0
                         ? random_tensor(kEightRows, 4)
                         : off_by(random_tensor(kEightRows, 4), 0.04F, 14);
    return {step("neg", a, b), step("relu", b, c), step("exp", taken, d)};
}

TEST(Origins, fail_an_input_that_nothing_before_it_made) {
    const Tensor changed = off_by(random_tensor(kEightRows, 3), 0.04F, 5);
    const Result result = compared(chain(0, &changed), chain(0));
    ASSERT_EQ(result.culprits.size(), 1u);
    EXPECT_EQ(result.culprits[0].kind, CulpritKind::kTensor);
    EXPECT_EQ(result.culprits[0].tensor, "/exp/3/input/self");
    EXPECT_NE(result.culprits[0].why.find("input `self` of /exp/3 is off by"), std::string::npos);
    EXPECT_NE(
        result.culprits[0].why.find("nothing before it made that: no recorded op made it, and "
                                    "all that was computed before it is the golden's"),
        std::string::npos)
        << result.culprits[0].why;
    EXPECT_EQ(result.ops[2].judgement.verdict, Verdict::kFail);
    EXPECT_EQ(result.exit_code(), 1);
}

TEST(Origins, are_looked_for_before_an_op_that_one_side_has_more) {
    const Tensor changed = off_by(random_tensor(kEightRows, 3), 0.04F, 5);
    const HandMadeOp more = step("sin", random_tensor(kEightRows, 7), random_tensor(kEightRows, 8));
    const auto tells = [&](size_t place) {
        std::vector<HandMadeOp> target = chain(0, &changed);
        target.insert(target.begin() + static_cast<std::ptrdiff_t>(place), more);
        const Result result = compared(target, chain(0));
        return std::ranges::any_of(result.culprits, [](const Culprit& culprit) {
            return culprit.kind == CulpritKind::kTensor;
        });
    };
    EXPECT_TRUE(tells(3));
    EXPECT_FALSE(tells(2));
}

// A cast of the target alone makes no numbers.
TEST(Origins, are_looked_for_behind_casts) {
    const Tensor changed = off_by(random_tensor(kEightRows, 3), 0.04F, 5);
    std::vector<HandMadeOp> target = chain(0, &changed);
    const Tensor narrow = changed.cast(DType::kFloat16);
    target.insert(target.end() - 1, step("_to_copy", changed, narrow));
    target.back().inputs.front().second = narrow;
    const Result result = compared(target, chain(0));
    ASSERT_EQ(result.culprits.size(), 1u);
    EXPECT_EQ(result.culprits[0].kind, CulpritKind::kTensor);
}

TEST(Origins, take_errors_of_the_ops_before_for_an_origin) {
    const Result result = compared(chain(0.04F), chain(0));
    EXPECT_TRUE(result.culprits.empty());
    EXPECT_EQ(result.ops[2].judgement.verdict, Verdict::kInherited);
}

// What an unrecorded step makes of honest errors is no more than a few times as far off.
TEST(Origins, leave_what_may_be_noise_of_the_ops_before) {
    const Tensor changed = off_by(random_tensor(kEightRows, 3), 0.04F, 5);
    EXPECT_TRUE(compared(chain(0.015F, &changed), chain(0)).culprits.empty());
    EXPECT_EQ(compared(chain(0.005F, &changed), chain(0)).culprits.size(), 1u);
}

TEST(Origins, leave_what_an_unrecorded_cast_may_have_rounded) {
    const Tensor rounded = changed(random_tensor(kEightRows, 3), [](float value) {
        return std::ldexp(std::trunc(std::ldexp(value, 8)), -8);
    });
    EXPECT_TRUE(compared(chain(0, &rounded), chain(0)).culprits.empty());
}

// 1 is what ones_like made, and what many ops hold by chance: nobody made 1 of 11.
TEST(Origins, fail_a_number_that_an_op_made_by_chance) {
    const auto program = [](float weight) {
        const Tensor rows = random_tensor(kEightRows, 1);
        return std::vector<HandMadeOp>{
            step("sum", rows, Tensor::scalar(11.0F)),
            step("ones_like", Tensor::scalar(11.0F), Tensor::scalar(1.0F)),
            step("div", Tensor::scalar(weight), Tensor::scalar(weight / 7))};
    };
    const Result result = compared(program(1), program(11));
    ASSERT_EQ(result.culprits.size(), 1u);
    EXPECT_EQ(result.culprits[0].tensor, "/div/3/input/self");
}

// Recorded when it had run: what it took in holds what it gave out.
TEST(Origins, fail_a_tensor_that_a_number_changed_in_place) {
    const auto program = [](const Tensor& state, const std::string& name) {
        const Tensor a = random_tensor(kEightRows, 1);
        return std::vector<HandMadeOp>{step("tanh_backward", a, random_tensor(kEightRows, 2)),
                                       {name, {{"self", state}}, {{"self", state}}, "", ""}};
    };
    const Tensor state = random_tensor(kEightRows, 3);
    WrittenSplitter splitter;
    for (const char* name : {"mul_", "relu_"})
        splitter.unjudged[std::string("/") + name + "/2"] = "recorded afterwards";
    const Result found =
        compared(program(off_by(state, 0.3F, 5), "mul_"), program(state, "mul_"), splitter);
    ASSERT_EQ(found.culprits.size(), 1u);
    EXPECT_EQ(found.culprits[0].tensor, "/mul_/2/input/self");
    EXPECT_TRUE(
        compared(program(off_by(state, 0.3F, 5), "relu_"), program(state, "relu_"), splitter)
            .culprits.empty());
}

TEST(Origins, name_the_op_that_nobody_can_judge) {
    WrittenSplitter splitter;
    splitter.unjudged["/relu/2"] = kRandomOp;
    const Result result = compared(chain(0.04F), chain(0), splitter);
    EXPECT_TRUE(result.culprits.empty());
    EXPECT_EQ(result.ops[2].origin, "/relu/2 made its input self, and nobody can judge that op");
    EXPECT_EQ(result.ops[1].origin, "");
}

}  // namespace
}  // namespace npuscope::compare
