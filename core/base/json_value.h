// Values that JSON does not know, or that reports write in one way.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace npuscope {

/// The number; "nan", "inf" or "-inf" as text, since JSON has no such numbers.
[[nodiscard]] nlohmann::ordered_json number_json(double value);
/// null where there is none.
[[nodiscard]] nlohmann::ordered_json number_json(const std::optional<double>& value);
/// null for "".
[[nodiscard]] nlohmann::ordered_json text_or_null(const std::string& text);

}  // namespace npuscope
