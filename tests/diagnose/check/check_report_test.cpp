#include "diagnose/check/check_report.h"

#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace npuscope::diagnose {
namespace {

CheckReport sample() {
    CheckReport report;
    report.verdict = CheckVerdict::kFail;
    report.headline = "/mm/2 (</script><b>) is the first op that overflows; 1 op only received it";
    report.model = "m.onnx";
    report.device = "npu 910A";
    OpFinding good;
    good.id = {"relu", 1};
    good.judgement = compare::Judgement{compare::Verdict::kPass, ""};
    good.introduced = 0.0;
    good.ratio = 0.0;
    OpFinding bad;
    bad.id = {"mm", 2};
    bad.node = "</script><b>";
    bad.judgement = compare::Judgement{compare::Verdict::kFail, ""};
    bad.introduced = std::numeric_limits<double>::infinity();
    bad.ratio = 68.4;
    bad.arithmetic = "fp16 inputs, fp32 sums";
    bad.overflow = OverflowRole::kIntroduced;
    bad.kernels = {"Cast", "MatMul"};
    report.ops = {good, bad};
    report.arithmetic = {
        "matrix products (float32): fp16 inputs, fp32 sums (as npu 910A states, 1 op)"};
    report.first_culprit = 1;
    report.why = {"cube-demotion-saturation", 1.0, "its input reaches 1e5"};
    report.next = "npuscope inspect npu.h5 /mm/2";
    return report;
}

TEST(CheckJson, holds_the_agreed_members) {
    const auto root = nlohmann::json::parse(to_json(sample()));
    EXPECT_EQ(root["version"], 2);
    EXPECT_EQ(root["verdict"], "fail");
    EXPECT_EQ(root["first_culprit"]["path"], "/mm/2");
    EXPECT_EQ(root["first_culprit"]["why"]["fingerprint"], "cube-demotion-saturation");
    EXPECT_EQ(root["first_culprit"]["next"], "npuscope inspect npu.h5 /mm/2");
    EXPECT_EQ(root["ops"].size(), 2u);
    EXPECT_EQ(root["ops"][1]["introduced"], "inf");
    EXPECT_EQ(root["ops"][1]["ratio"], 68.4);
    EXPECT_EQ(root["ops"][1]["arithmetic"], "fp16 inputs, fp32 sums");
    EXPECT_EQ(root["arithmetic"].size(), 1u);
    EXPECT_EQ(root["overflow"][0]["kind"], "introduced");
}

TEST(CheckJson, has_no_culprit_without_one) {
    CheckReport report = sample();
    report.first_culprit.reset();
    EXPECT_TRUE(nlohmann::json::parse(to_json(report))["first_culprit"].is_null());
}

TEST(CheckText, shows_what_does_not_pass_and_hides_what_does) {
    const std::string text = to_text(sample(), false, false);
    EXPECT_NE(text.find("FAIL"), std::string::npos);
    EXPECT_NE(text.find("/mm/2"), std::string::npos);
    EXPECT_NE(text.find("  computes  matrix products (float32): fp16 inputs"), std::string::npos);
    EXPECT_NE(text.find(" 68  overflow"), std::string::npos) << text;
    EXPECT_NE(text.find("1 more ops that pass"), std::string::npos);
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

CheckReport with_kernels() {
    CheckReport report = sample();
    MappedKernel cast{.type = "Cast", .change = "float32 to float16"};
    cast.judged = {{compare::Verdict::kOutOfRange, "g leaves the range of float16"}, 0, 0};
    MappedKernel product{.type = "MatMul<b>"};
    product.judged = {{compare::Verdict::kPass}, 0, 0};
    report.ops[1].kernel_rows = {cast, product};
    report.ops[1].first_kernel = 0;
    report.ops[1].kernel_folder = "out/map/kernels/1/0";
    return report;
}

TEST(CheckText, names_the_kernel_of_the_first_culprit) {
    EXPECT_NE(to_text(with_kernels(), false, false)
                  .find("  kernel      Cast (1 of 2), float32 to float16: g leaves the range of "
                        "float16\n"),
              std::string::npos);
    CheckReport report = with_kernels();
    report.ops[1].first_kernel.reset();
    EXPECT_NE(to_text(report, false, false).find("none of the 2 is over its own tolerance"),
              std::string::npos);
}

TEST(CheckJson, holds_the_kernels_of_culprits) {
    const auto ops = nlohmann::json::parse(to_json(with_kernels()))["ops"];
    EXPECT_EQ(ops[0]["kernel_rows"].size(), 0u);
    EXPECT_TRUE(ops[0]["first_kernel"].is_null());
    EXPECT_EQ(ops[1]["first_kernel"], 0);
    EXPECT_EQ(ops[1]["kernel_rows"][0]["change"], "float32 to float16");
    EXPECT_EQ(ops[1]["kernel_folder"], "out/map/kernels/1/0");
}

}  // namespace
}  // namespace npuscope::diagnose
