// Pictures of the tensors of a result that a reader looks at first.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace npuscope::page {

/// JSON: `tensors`, by path in the target: how values and errors are spread, and where they lie.
/// Of the findings' results, then of other results that do not pass, as far as a budget of tensors
/// and elements goes. "" where there are none: other kinds than `check` and `compare`, recordings
/// that are gone or hold no elements. Errors: none; what cannot be read is left out.
[[nodiscard]] std::string details_json(const std::string& kind, const nlohmann::json& document);

}  // namespace npuscope::page
