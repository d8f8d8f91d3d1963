// What the watcher says during a run and what a scan says of that run's dump must be the same.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dumper/dump_scope.h"
#include "npu_backend/executor.h"
#include "overflow/scan.h"
#include "overflow/watcher.h"
#include "tests/support/support.h"

namespace npuscope {
namespace {

Tensor half(std::vector<float> values, Shape shape) {
    std::vector<Float16> elements;
    for (const float value : values)
        elements.push_back(to_float16(value));
    return Tensor::from<Float16>(std::move(shape), elements);
}

// "/mm/1 introduced", "/add_Tensor/4 received self /relu/2 /mm/1"
std::string told(const overflow::OverflowRecord& record) {
    std::string text = record.path() + " " + std::string(name_of(record.kind));
    if (!record.via.empty()) text += " " + record.via + " " + record.from + " " + record.origin;
    return text;
}

struct Told {
    std::vector<std::string> watched;
    std::vector<std::string> scanned;
};

// A matrix product that overflows, followed through a transposition that is not recorded, and an
// exp of its own; an add that stays below the tie is none.
Told run(const char* chip_name) {
    const test::TempDir folder;
    const std::string path = folder / "npu.h5";
    Executor npu{chip(chip_name)};
    Told told_by;
    {
        const overflow::OverflowWatcher watcher(npu);
        dumper::DumpScope dump(npu, {.use_dump = true, .dump_path = path});
        const Tensor a = half({40000, 1, 2, 3, 4, 5}, {2, 3});
        const Tensor b = half({2, 0, 0, 2, 1, 1}, {3, 2});
        const Tensor product = npu.call("mm", {a, b});
        const Tensor turned = npu.call("t", {product});
        const Tensor positive = npu.call("relu", {turned});
        npu.call("add_Tensor", {half({65504, 1}, {2}), half({15, 1}, {2})});
        npu.call("mul_Tensor", {positive, half({2, 2}, {2, 1})});
        npu.call("exp", {half({12, 1}, {2})});
        dump.close();
        for (const overflow::OverflowRecord& record : watcher.report().records)
            told_by.watched.push_back(told(record));
        EXPECT_EQ(npu.observer_error_count(), 0) << npu.first_observer_error();
    }
    const overflow::ScanReport report = overflow::scan_dump(path);
    EXPECT_EQ(report.ops, 5);
    EXPECT_EQ(report.ops_with_status, 5);
    for (const overflow::ScannedOp& op : report.damaged)
        if (op.record.raised()) told_by.scanned.push_back(told(op.record));
    return told_by;
}

TEST(OverflowAgreement, on_a_chip_that_saturates) {
    const Told told_by = run("910A");
    EXPECT_EQ(
        told_by.watched,
        (std::vector<std::string>{
            "/mm/1 introduced", "/mul_Tensor/4 received self /relu/2 /mm/1", "/exp/5 introduced"}));
    EXPECT_EQ(told_by.scanned, told_by.watched);
}

TEST(OverflowAgreement, on_a_chip_with_infinities) {
    const Told told_by = run("910B");
    EXPECT_EQ(told_by.watched, (std::vector<std::string>{"/mm/1 introduced", "/exp/5 introduced"}));
    EXPECT_EQ(told_by.scanned, told_by.watched);
}

}  // namespace
}  // namespace npuscope
