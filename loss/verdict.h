// The answer to "do these two runs train alike?", with its evidence.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loss/log.h"

namespace npuscope::loss {

enum class Class : uint8_t {
#define CLASS(enumerator, name, finding, meaning) enumerator,
#include "loss/classes.def"
#undef CLASS
};

struct ClassRow {
    Class value;
    std::string_view name;
    bool is_finding;
    std::string_view meaning;
};
[[nodiscard]] std::span<const ClassRow> all_classes();
[[nodiscard]] const ClassRow& row_of(Class value);

/// What rounding of one step's forward pass may make of the loss, relative to it.
enum class Precision : uint8_t { kFloat32, kFloat16, kBfloat16 };
/// Errors: Error(kUsage) with the names that there are.
[[nodiscard]] Precision precision_named(std::string_view name);
[[nodiscard]] std::string_view name_of(Precision precision);
[[nodiscard]] double rounding_of(Precision precision);

struct Options {
    Precision precision = Precision::kBfloat16;
    int64_t accumulation = 1;  ///< records that share their weights: an update comes after so many
    bool any_start = false;    ///< seeds differ on purpose: only the course is judged
};

/// How a run's loss goes on after the parting, or as a whole where there is none.
struct Course {
    Class kind = Class::kNoise;  ///< kNoise, kDrift, kSpike, kDivergence or kNan
    bool in_golden = false;      ///< it is the golden's
    int64_t step = 0;            ///< where it begins
    double size = 0;             ///< of the loss
    std::string text;            ///< a sentence
};

/// A quantity beside the loss, at the first step at which the two differ by more than rounding.
struct SideDifference {
    Quantity quantity;
    int64_t step;
    double golden;
    double target;
    std::optional<std::string> factor{};  ///< factor_words
};

/// What to record next.
struct Capture {
    int64_t step = 0;   ///< as the logs count
    std::string phase;  ///< "forward", "backward", or ""
    std::string text;   ///< what is found out by it
};

struct Verdict {
    Class kind = Class::kIdentical;
    bool is_finding = false;
    double confidence = 0;  ///< 0.5 to 1: how far the deciding number is from its limit
    int64_t step = 0;       ///< of the parting; 0 without one
    int64_t before = 0;     ///< the last common step before it; 0 without one
    double difference = 0;  ///< target less golden there
    double limit = 0;       ///< what like runs may be apart there
    std::string headline;
    std::vector<std::string> evidence;
    std::vector<std::string> remarks;
    std::vector<SideDifference> sides;
    Course course;
    std::optional<Capture> capture;
    size_t common = 0;
    double step_noise = 0;           ///< of the golden
    double mean_relative_error = 0;  ///< the usual rule's number, for comparison
    double largest = 0;              ///< difference
    std::vector<int64_t> steps;      ///< common steps, and what like runs may be apart at each
    std::vector<double> limits;
};

/// Judges a target by a golden run. `like`: more runs that are known to be like the golden.
/// Errors  Error(kUsage) where golden and target, or golden and a like run, have no step in common.
[[nodiscard]] Verdict judge(const Log& golden,
                            const Log& target,
                            const std::vector<Log>& like,
                            const Options& options);

}  // namespace npuscope::loss
