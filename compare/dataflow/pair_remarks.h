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

struct PairRemarks {
    std::vector<std::string> lines{};
    bool hardly_pair = false;  ///< two models of two structures: nothing follows from a comparison
};

/// One line each: the same elements on both sides; two models (few ops pair, or hardly anything of
/// what one side was given is the other's as well); sides that seem swapped (the golden was
/// recorded on an NPU, the target was not). None for an ordinary pair. Complexity: hashes, and some
/// thousand elements of each given tensor that differs.
[[nodiscard]] PairRemarks pair_remarks(const PairedFlows& flows,
                                       const RecordedDevices& devices = {});

}  // namespace npuscope::compare
