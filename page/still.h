// What a page says without its script: the verdict and the first culprit.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace npuscope::page {

struct Still {
    std::string verdict{};   ///< one word
    std::string headline{};  ///< a sentence, or ""
    std::string culprit{};   ///< what is at fault first, or ""
    std::vector<std::string> why{};
    std::string next{};  ///< a command, or ""
    std::vector<std::pair<std::string, std::string>> facts{};
};

/// Kinds of result that a page shows, by the command that makes them.
struct Kind {
    const char* name;
    /// Whether a document is of this kind.
    bool (*fits)(const nlohmann::json& document);
    Still (*still)(const nlohmann::json& document);
};

/// Errors: Error(kUsage) that lists the names.
[[nodiscard]] const Kind& kind_named(const std::string& name);
/// nullptr when the document is of none.
[[nodiscard]] const Kind* kind_fitting(const nlohmann::json& document);

}  // namespace npuscope::page
