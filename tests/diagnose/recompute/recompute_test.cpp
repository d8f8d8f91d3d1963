#include "diagnose/recompute/recompute.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/h5/h5.h"
#include "npu_backend/chips/chip.h"
#include "tests/support/support.h"

namespace npuscope::diagnose {
namespace {

std::filesystem::path recording(const char* name) {
    return test::source_dir() / "data" / "recordings" / name;
}

void expect_all_ran(const RecomputeReport& report, size_t least) {
    EXPECT_TRUE(report.missing.empty());
    EXPECT_GE(report.ops.size(), least);
    for (const RecomputedOp& op : report.ops) {
        EXPECT_EQ(op.skipped, "") << op.id.op;
        EXPECT_FALSE(op.results.empty()) << op.id.op;
        for (const compare::TensorResult& result : op.results)
            EXPECT_NE(result.judgement.verdict, compare::Verdict::kIncomparable)
                << op.id.path() << " " << result.argument;
    }
}

TEST(Recompute, reference_agrees_with_a_gpu_in_float32) {
    for (const Device& device : {Device::reference32(), Device::reference64()}) {
        const RecomputeReport report = recompute(recording("gpu_step_fp32.h5"), device);
        expect_all_ran(report, 7);
        ASSERT_NE(report.worst(), nullptr);
        EXPECT_LT(report.worst()->worst(), 1e-5) << report.worst()->id.op;
    }
}

TEST(Recompute, reference_agrees_with_a_gpu_under_autocast) {
    const RecomputeReport report = recompute(recording("gpu_step_amp.h5"), Device::reference32());
    expect_all_ran(report, 3);
    ASSERT_NE(report.worst(), nullptr);
    EXPECT_LT(report.worst()->worst(), 1e-3) << report.worst()->id.op;
}

TEST(Recompute, chip_stays_within_what_its_precision_allows) {
    const RecomputeReport report =
        recompute(recording("gpu_step_fp32.h5"), Device::npu(chip("910A")));
    expect_all_ran(report, 7);
    for (const RecomputedOp& op : report.ops)
        for (const compare::TensorResult& result : op.results)
            EXPECT_FALSE(compare::is_finding(result.judgement.verdict))
                << op.id.path() << " " << result.argument << " " << result.judgement.rule;
}

TEST(Recompute, lists_ops_without_a_row_once) {
    const test::TempDir folder;
    const std::filesystem::path path = folder.path() / "unknown.h5";
    {
        h5::Writer writer(path);
        const Tensor value = Tensor::scalar<float>(1);
        const h5::Attribute kind{"Type", int32_t{0}};
        for (const char* run : {"/fancy_op/1/output/result", "/fancy_op/2/output/result"})
            writer.write_dataset(run, value.view(), {&kind, 1});
        writer.close();
    }
    const RecomputeReport report = recompute(path, Device::reference32());
    EXPECT_EQ(report.missing, (std::vector<std::string>{"fancy_op"}));
    EXPECT_EQ(report.ops.size(), 2u);
    EXPECT_EQ(report.worst(), nullptr);
}

TEST(Recompute, rejects_a_missing_file) {
    EXPECT_THROW((void)recompute("/no/such/dump.h5", Device::reference32()), Error);
}

}  // namespace
}  // namespace npuscope::diagnose
