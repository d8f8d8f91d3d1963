// What is odd about two files as a pair, told before any table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/dataflow/paired_flows.h"

namespace npuscope::compare {

/// DeviceType of each side's tensors; empty where none is recorded.
struct RecordedDevices {
    std::optional<int64_t> target{};
    std::optional<int64_t> golden{};
};

/// One line each: the same elements on both sides; two models (few ops pair, or most of what nobody
/// computed differs in shape or is far apart); sides that seem swapped (the golden was recorded on
/// an NPU, the target was not). None for an ordinary pair. Complexity: hashes, and some thousand
/// elements of each given tensor that differs.
[[nodiscard]] std::vector<std::string> pair_remarks(const PairedFlows& flows,
                                                    const RecordedDevices& devices = {});

/// Two models: so few ops have a partner that nothing follows from a comparison.
[[nodiscard]] bool hardly_pair(const PairedFlows& flows);

}  // namespace npuscope::compare
