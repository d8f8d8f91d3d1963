// A rule file as a JSON value. Included by .cpp files only.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "compare/msaccucmp/log.h"

namespace npuscope::compare::msaccucmp {

/// Errors: CommandError(kInvalidPath) no such file, (kParseJsonError) no JSON.
[[nodiscard]] nlohmann::json read_rule_json(const std::string& path, Log& log);

}  // namespace npuscope::compare::msaccucmp
