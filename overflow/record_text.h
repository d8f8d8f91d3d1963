// A record in words and as JSON, for the report of a watched run and for that of a scan. Included
// by overflow/*.cpp only.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "overflow/record.h"

namespace npuscope::overflow {

/// " (layer1.conv)": node, else module; "" without either.
[[nodiscard]] std::string place_text(const OverflowRecord& record);
[[nodiscard]] std::string place_text(const OpSource& source);

/// "'mat2' with inf or nan from /mul/3, begun at /exp/1". `at_limit` says what saturated values
/// are, `unmade` what an input is that no op made.
[[nodiscard]] std::string damage_text(const OverflowRecord& record,
                                      const char* at_limit,
                                      const char* unmade);

/// The kernels' names, joined by ", ".
[[nodiscard]] std::string kernels_text(const OverflowRecord& record);

/// One object, whose keys docs/json.md lists, with the members of `extra`. Text that is not there
/// is null.
[[nodiscard]] nlohmann::ordered_json record_json(const OverflowRecord& record,
                                                 const nlohmann::ordered_json& extra);

}  // namespace npuscope::overflow
