// Recorded cases of IR ops (data/op_cases.json) and their check on every device.
#pragma once

#include <set>
#include <string>

namespace npuscope::test {

/// Names of the ops that have a case.
[[nodiscard]] std::set<std::string> ops_with_cases();

/// Types of the kernels that the cases launch on a chip.
[[nodiscard]] std::set<std::string> kernels_of_cases();

/// Runs every case of `op` on both references and both chips, in each float dtype that they take,
/// and holds the results against PyTorch's float64 ones: integers and bool exactly, floats within
/// the tolerance of the precision that the op says it computed in. `chip_tolerance`, when not 0,
/// replaces that on chips where CANN's formula is another one.
void check_op(const std::string& op, double chip_tolerance = 0);

}  // namespace npuscope::test
