#include "overflow/report.h"

#include <gtest/gtest.h>

namespace npuscope::overflow {
namespace {

OverflowRecord introduced() {
    OverflowRecord record;
    record.id.op = "addmm";
    record.id.seqid = 17;
    record.source.node = "fc1";
    record.status.raise(FloatStatus::kCubeOverflow);
    record.kernels = {"MatMul"};
    return record;
}

OverflowReport example() {
    OverflowReport report;
    report.ops_seen = 40;
    report.records.push_back(introduced());
    OverflowRecord again = introduced();
    again.id.op = "mul_Tensor";
    again.id.seqid = 19;
    again.source.node.clear();
    again.kind = OverflowKind::kReceived;
    again.status.bits = FloatStatus::kOverflow;
    again.kernels = {"Mul"};
    again.via = "self";
    again.evidence = Evidence::kSaturated;
    again.from = "/relu/18";
    again.origin = "/addmm/17";
    report.records.push_back(again);
    report.records_count = 2;
    report.introduced_count = 1;
    OverflowRecord receiver = again;
    receiver.id.op = "relu";
    receiver.id.seqid = 18;
    receiver.status = {};
    receiver.kernels.clear();
    receiver.from = "/addmm/17";
    report.receivers.push_back(receiver);
    report.receivers_count = 3;
    OverflowRecord foreign;
    foreign.id.op = "convolution";
    foreign.id.seqid = 2;
    foreign.kind = OverflowKind::kInheritedFromInput;
    foreign.via = "weight";
    foreign.evidence = Evidence::kNonFinite;
    report.foreign.push_back(foreign);
    report.foreign_count = 1;
    return report;
}

TEST(OverflowReportText, names_the_first_origin_its_kernels_and_who_only_received) {
    EXPECT_EQ(to_text(example()),
              "First overflow: /addmm/17 (fc1)\n"
              "  raised by  MatMul: Cube accumulator (bit 10)\n"
              "  inputs     finite, and none from an op that overflowed: it began here\n"
              "2 of 40 ops overflowed: 1 introduced it, 1 on inputs damaged before; 3 more only "
              "received damage.\n"
              "  /addmm/17                    introduced MatMul: Cube accumulator (bit 10) (fc1)\n"
              "  /mul_Tensor/19               received   Mul: vector result (bit 5)\n"
              "                               through input 'self' with saturated values from "
              "/relu/18, begun at /addmm/17\n"
              "Received damage, raised nothing themselves:\n"
              "  /relu/18                     input 'self' with saturated values from /addmm/17\n"
              "  … and 2 more\n"
              "Inf or nan that is no overflow:\n"
              "  /convolution/2               input 'weight' with inf or nan that no op made\n");
}

TEST(OverflowReportText, says_so_when_nothing_overflowed) {
    OverflowReport report;
    report.ops_seen = 12;
    EXPECT_EQ(to_text(report), "No overflow in 12 ops.\n");
    EXPECT_EQ(to_json(report), "[]\n");
}

TEST(OverflowReportText, json_has_one_object_an_op) {
    OverflowReport report = example();
    report.records.erase(report.records.begin());
    report.receivers.clear();
    report.foreign.clear();
    EXPECT_EQ(to_json(report),
              R"([
  {
    "path": "/mul_Tensor/19",
    "node": null,
    "kind": "received",
    "also_raised": true,
    "via": "self",
    "evidence": "saturated",
    "from": "/relu/18",
    "origin": "/addmm/17",
    "kernels": [
      "Mul"
    ],
    "bits": 32
  }
]
)");
}

TEST(OverflowReportText, a_hostile_name_cannot_forge_a_line) {
    OverflowRecord record = introduced();
    record.id.op = "add\nIR: mm";
    EXPECT_EQ(line_of(record).find('\n'), std::string::npos);
    OverflowReport report;
    record.source.node = "\xff\xfe";
    report.records.push_back(record);
    EXPECT_NE(to_json(report).find("\xef\xbf\xbd"), std::string::npos);
}

TEST(FloatStatusText, names_each_bit) {
    FloatStatus status;
    status.raise(FloatStatus::kCopyOverflow);
    status.raise(FloatStatus::kVectorInputNonFinite);
    EXPECT_EQ(describe(status),
              "copy from the Cube buffer to float16 (bit 8), inf or nan into a vector instruction "
              "(bit 14)");
    FloatStatus harmless;
    harmless.raise(FloatStatus::kCopyUnderflow);
    harmless.raise(FloatStatus::kNegativeToUnsigned);
    EXPECT_EQ(describe(harmless),
              "negative to unsigned (bit 7), underflow in the copy from the Cube buffer (bit 9)");
    EXPECT_FALSE(harmless.overflow());
    EXPECT_EQ(describe({}), "");
}

}  // namespace
}  // namespace npuscope::overflow
