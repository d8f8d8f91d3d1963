#include "compare/programs/unknown_ops.h"

#include <gtest/gtest.h>

#include "tests/compare/compared_programs.h"

namespace npuscope::compare {
namespace {

const Shape kRows = {8, 16};

WrittenSplitter not_knowing(const std::vector<std::string>& paths,
                            const std::string& why = "there is no op of this name") {
    WrittenSplitter splitter;
    for (const std::string& path : paths)
        splitter.unjudged[path] = why;
    return splitter;
}

/// neg, an op of the chip, exp: off by these shares of the rms.
std::vector<HandMadeOp> program(float before, float own, const std::string& op = "npu_glu") {
    const Tensor a = random_tensor(kRows, 1);
    const auto made = [](unsigned seed, float noise) {
        const Tensor exact = random_tensor(kRows, seed);
        return noise > 0 ? off_by(exact, noise, seed + 10) : exact;
    };
    const Tensor b = made(2, before);
    const Tensor c = made(3, own);
    return {step("neg", a, b), step(op, b, c), step("exp", c, made(4, own))};
}

TEST(UnknownOps, are_at_fault_where_nothing_before_them_is_far_off) {
    const Result result =
        compared(program(1e-4F, 0.2F), program(0, 0), not_knowing({"/npu_glu/2"}));
    ASSERT_EQ(result.ops[1].judgement.verdict, Verdict::kFail);
    const std::string& rule = result.ops[1].judgement.rule;
    EXPECT_NE(rule.find("it cannot be computed again (there is no op of this name)"),
              std::string::npos)
        << rule;
    EXPECT_EQ(result.ops[2].judgement.verdict, Verdict::kInherited);
    EXPECT_EQ(result.ops[2].origin, "");
    EXPECT_EQ(result.exit_code(), 1);
}

TEST(UnknownOps, are_not_where_what_came_in_may_have_grown) {
    for (const float before : {0.05F, 0.2F})
        EXPECT_EQ(compared(program(before, 0.2F), program(0, 0), not_knowing({"/npu_glu/2"}))
                      .ops[1]
                      .judgement.verdict,
                  Verdict::kNotProvable);
    // Rounding to 8 bits is as far off.
    EXPECT_EQ(compared(program(1e-4F, 0.004F), program(0, 0), not_knowing({"/npu_glu/2"}))
                  .ops[1]
                  .judgement.verdict,
              Verdict::kNotProvable);
}

TEST(UnknownOps, may_draw_what_they_make) {
    EXPECT_EQ(compared(program(1e-4F, 0.2F),
                       program(0, 0),
                       not_knowing({"/npu_glu/2"}, std::string(kRandomOp)))
                  .ops[1]
                  .judgement.verdict,
              Verdict::kNotProvable);
    EXPECT_EQ(compared(program(1e-4F, 0.2F, "npu_dropout_add"),
                       program(0, 0, "npu_dropout_add"),
                       not_knowing({"/npu_dropout_add/2"}))
                  .ops[1]
                  .judgement.verdict,
              Verdict::kNotProvable);
}

TEST(UnknownOps, are_honest_where_all_their_runs_are_as_far_off) {
    const auto runs = [](float noise) {
        std::vector<HandMadeOp> ops;
        for (unsigned i = 0; i < 4; ++i) {
            const Tensor exact = random_tensor(kRows, 20 + i);
            ops.push_back(step("npu_glu",
                               off_by(random_tensor(kRows, i + 1), noise > 0 ? 1e-4F : 1e-9F, 7),
                               noise > 0 ? off_by(exact, noise, 40 + i) : exact));
        }
        return ops;
    };
    const Result result = compared(
        runs(0.2F), runs(0), not_knowing({"/npu_glu/1", "/npu_glu/2", "/npu_glu/3", "/npu_glu/4"}));
    for (const OpResult& op : result.ops)
        EXPECT_EQ(op.judgement.verdict, Verdict::kNotProvable) << op.judgement.rule;
}

}  // namespace
}  // namespace npuscope::compare
