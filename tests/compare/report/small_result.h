// One small comparison with every kind of line, for the approved texts of the reports.
#pragma once

#include "compare/compare.h"
#include "compare/report/report.h"
#include "tests/compare/dumps.h"
#include "tests/support/support.h"

namespace npuscope::compare {

inline Result small_result() {
    const test::TempDir folder;
    DumpedOp fail = unary("addmm", 2, {1, 2, 3, 4}, {1, 2.5f, -8, 4});
    fail.facts = R"({"node": "/fc/MatMul", "module": "encoder.fc", "line": "train.py:12"})";
    fail.compute_type = ComputeType::kFloat16;
    fail.inputs.push_back({"beta", 0.001});
    DumpedOp right = unary("addmm", 7, {1, 2, 3, 4}, {1, 2, -8, 4});
    right.inputs.push_back({"beta", 1e-5});
    DumpedOp overflowed = unary("bmm", 11, {1, 2}, {3, 4});
    overflowed.facts = R"({"node": "/b/MatMul", "status": {"bits": 32, "overflow": true}})";
    DumpedOp receiver = unary("mm", 12, {4, 2}, {3, 4});
    receiver.facts = R"({"status": {"bits": 32, "overflow": true}})";
    DumpedOp alias = unary("conv2d", 3, {1, 2}, {3, 4});
    DumpedOp canonical = unary("convolution", 8, {1, 2}, {3, 4});
    write_dump(folder / "t.h5",
               {unary("relu", 1, {1, 2}, {1, 2}),
                fail,
                alias,
                unary("zeros", 4, {1, 2}, {0, 0}),
                unary("odd, \"name\"", 5, {1}, {2}),
                overflowed,
                receiver});
    write_dump(folder / "g.h5",
               {unary("relu", 6, {1, 2}, {1, 2}),
                right,
                canonical,
                unary("zeros", 9, {1, 2}, {0, 0}),
                unary("only", 10, {1}, {2}),
                unary("bmm", 11, {1, 2}, {3, 4}),
                unary("mm", 12, {1, 2}, {3, 4})},
               dumpfile::kDeviceCpu);
    return compare_dumps(dumpfile::Reader(folder / "t.h5"), dumpfile::Reader(folder / "g.h5"));
}

inline std::string report_text(const char* name, ReportOptions options = {}) {
    options.target = "npu.h5";
    options.golden = "gpu.h5";
    options.options = {{"tolerance", "by compute type"}};
    return report_named(name).write(small_result(), options);
}

inline std::string approved(const std::string& name) {
    return test::read_file(test::source_dir() / "tests/golden/compare" / name);
}

}  // namespace npuscope::compare
