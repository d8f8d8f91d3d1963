// What "dump_data": "stats" writes of a kernel in place of its tensors' elements.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir_tbe_map/stored_tensor.h"

namespace npuscope::ir_tbe_map {

struct StatisticsRow {
    bool input = false;
    size_t index = 0;
    StoredTensor tensor;
};

/// A header and one line a tensor: Input/Output, Index, Data Size, Data Type, Format, Shape (as
/// stored, joined by x), then the statistics, which never count padding. Max and Min are of the
/// elements that are not nan; Avg is a running mean in double, that of a tensor with infinities of
/// one sign is that infinity. `chosen` as dump_stats names them; empty: all but L2norm. Statistics
/// of bfloat16 are left empty, as the device does. Source: dump_task.cpp of CANN's runtime.
[[nodiscard]] std::string statistics_csv(std::span<const StatisticsRow> rows,
                                         const std::vector<std::string>& chosen);

}  // namespace npuscope::ir_tbe_map
