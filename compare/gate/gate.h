// Which findings of a comparison count: not those that somebody waived, nor those that were there
// before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace npuscope::compare {

struct Result;
class Baseline;
class Waivers;

enum class FindingStatus : uint8_t {
    kCounts,  ///< new, where there is a baseline
    kWorse,   ///< it was there, and got worse: counts
    kKnown,   ///< it was there
    kWaived,
};
/// "counts", "worse", "known", "waived"
[[nodiscard]] std::string_view name_of(FindingStatus status);

/// One finding, however it was told.
struct Finding {
    std::string kind;    ///< of a culprit; of what is no culprit its verdict: "missing_target"
    size_t op = 0;       ///< index into Result::ops
    std::string path;    ///< of the op, "/addmm/17"
    std::string detail;  ///< path of the tensor or name of the argument; "" of others
    std::string why;     ///< a sentence
    std::optional<double> ratio{};  ///< of an op: its error over what is allowed
    FindingStatus status = FindingStatus::kCounts;
    bool is_known = false;  ///< it was there before, whatever became of it
    std::string because{};  ///< who waived it and why; how much worse it got
};

/// Culprits in their order, then what is a finding and has no culprit.
[[nodiscard]] std::vector<Finding> findings_of(const Result& result);

struct Gate {
    std::vector<Finding> findings{};
    std::vector<std::string> expired{};  ///< waivers, a sentence each; findings themselves
    std::vector<std::string> unused{};   ///< waivers that met nothing, a sentence each
    int64_t gone = 0;                    ///< findings of the baseline that are no more
    bool has_baseline = false;
    int exit_code = 0;  ///< as Result::exit_code(), by the findings that count

    [[nodiscard]] int64_t count(FindingStatus status) const;
};

/// `waivers` and `baseline` may be nullptr.
[[nodiscard]] Gate gate_of(const Result& result, const Waivers* waivers, const Baseline* baseline);

}  // namespace npuscope::compare
