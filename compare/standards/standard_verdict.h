// What a named standard says of one tensor pair or one op, in its own words.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace npuscope::compare {

/// From best to worst. A standard's words stand for one of these.
enum class StandardLevel : uint8_t { kNotJudged, kPass, kWarning, kFail };
inline constexpr size_t kStandardLevels = static_cast<size_t>(StandardLevel::kFail) + 1;
/// "not_judged", "pass", "warning", "fail"
[[nodiscard]] std::string_view name_of(StandardLevel level);

struct StandardVerdict {
    StandardLevel level = StandardLevel::kNotJudged;
    std::string word{};  ///< the standard's: "PASSED", "error"; "" where it says nothing
    std::string why{};   ///< its numbers against its limits, one line
    std::vector<std::pair<std::string_view, double>> figures{};  ///< what it measured, by name
};

/// Where a standard and the judge of this program are of two minds about an op.
struct StandardDisagreement {
    size_t op = 0;       ///< index in Result::ops
    std::string text{};  ///< "polygraphy fails what passes here: …", one line
};

/// What a standard says of a whole comparison.
struct StandardSummary {
    std::string name{};  ///< "cann-L1"
    StandardLevel level = StandardLevel::kNotJudged;
    std::string word{};                              ///< of the worst op
    std::array<int64_t, kStandardLevels> tensors{};  ///< by StandardLevel
    std::string first{};  ///< path of the first op that fails; "" without
    std::vector<StandardDisagreement> disagreements{};
    std::vector<std::string> notes{};  ///< what stood in for what the standard asks for
};

}  // namespace npuscope::compare
