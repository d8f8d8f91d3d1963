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

/// The text at a key; "" where there is none, or `object` is no object.
[[nodiscard]] std::string text_at(const nlohmann::ordered_json& object, const char* key);
[[nodiscard]] std::string text_at(const nlohmann::json& object, const char* key);

/// The text of a value; `indent` -1: in one line. Bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& value, int indent);
[[nodiscard]] std::string json_text(const nlohmann::json& value, int indent);

}  // namespace npuscope
