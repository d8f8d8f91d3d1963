// The words and the JSON in which the flows of a scan are told. Included by overflow/*.cpp only.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "overflow/flow.h"

namespace npuscope::overflow {

/// Of each flow that an op began: its birth, who carried it, who killed it, where it ended; at most
/// `limit` of them. "" without any.
[[nodiscard]] std::string flow_text(const std::vector<OverflowFlow>& flows, size_t limit);

/// An array of objects, whose keys docs/json.md lists.
[[nodiscard]] nlohmann::ordered_json flow_json(const std::vector<OverflowFlow>& flows);

}  // namespace npuscope::overflow
