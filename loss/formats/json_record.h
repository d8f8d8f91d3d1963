// Objects and lists of JSON as records of a log. JSON's nan, inf and NaN are values.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "loss/log_builder.h"

namespace npuscope::loss {

/// A number, or a text that is one ("nan", "inf", "1.5").
[[nodiscard]] std::optional<double> number_in(const nlohmann::json& value);

/// JSON as Python writes it: bare NaN, Infinity and -Infinity, which are no JSON, become texts.
/// Discarded where it is none.
[[nodiscard]] nlohmann::json parse_python_json(std::string_view text);

/// Reads an object's keys: those that number the step, and the quantities, by their names.
class ObjectReader {
  public:
    /// Nothing in the record: no quantity is among the keys.
    [[nodiscard]] Record read(const nlohmann::json& object);
    /// Names of the quantities as the log has them.
    void name(Log& log) const;

  private:
    std::array<std::string, kQuantities> names_;
};

}  // namespace npuscope::loss
