// A family's table as the parameters of its test, so that no row can be left out.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "npu_backend/ops/op.h"
#include "tests/npu_backend/op_cases.h"

namespace npuscope::test {

/// IR names of the rows.
[[nodiscard]] inline std::vector<std::string> names_of(std::span<const backend::OpRow> rows) {
    std::vector<std::string> names;
    for (const backend::OpRow& row : rows) {
        std::string name(row.schema.substr(0, row.schema.find('(')));
        for (char& letter : name)
            if (letter == '.') letter = '_';
        names.push_back(std::move(name));
    }
    return names;
}

/// Where CANN's formula is another one than PyTorch's: its Gelu is the tanh form, whose value
/// differs from the erf form's by up to 5e-4 and its slope by up to 1.3e-3.
[[nodiscard]] inline double chip_tolerance_of(const std::string& name) {
    if (name == "gelu" || name == "gelu_") return 1e-3;
    return name == "gelu_backward" ? 2e-3 : 0;
}

}  // namespace npuscope::test

/// Runs the recorded cases of every row of npu_backend/ops/<family>.cpp on every device.
#define NPUSCOPE_TEST_OPS(family, suite)                                                     \
    class suite : public ::testing::TestWithParam<std::string> {};                           \
    TEST_P(suite, follow_pytorch_on_every_device) {                                          \
        npuscope::test::check_op(GetParam(), npuscope::test::chip_tolerance_of(GetParam())); \
    }                                                                                        \
    INSTANTIATE_TEST_SUITE_P(                                                                \
        recorded,                                                                            \
        suite,                                                                               \
        ::testing::ValuesIn(npuscope::test::names_of(npuscope::backend::family##_ops())),    \
        [](const auto& row) { return row.param; })
