// How near a recorded result is to the exact one, beside what honest arithmetic reaches here: a
// bound holds for every chip, this for chips as they are.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "diagnose/judge/number_format.h"
#include "diagnose/judge/op_run.h"
#include "diagnose/judge/result_error.h"

namespace npuscope::diagnose {

/// Of the shares of a bound that the elements of a result are off by.
struct Shares {
    double most = 0;
    double usual = 0;  ///< the upper quartile of those that are off; 0 where fewer than 32 are
};

/// Both as the largest share of one bound.
struct Closeness {
    double recorded = 0;
    double here = 0;
    /// How many times further the worst element is from the usual ones than in any run here; 0
    /// where they are too few to tell.
    double singled_out = 0;

    /// Results that equal the exact ones here may be off by a rounding elsewhere.
    [[nodiscard]] double floored() const;
    /// How many times further off the recorded result is than those computed here.
    [[nodiscard]] double times() const;
};

/// Results that are so many times further off than others are looked at twice.
inline constexpr double kUnlike = 2;

/// What a result is held to, less than its bound.
struct Tightness {
    double share = 1;  ///< of the bound
    /// Of the result, always allowed; as many as the op takes where it is 0.
    double half_units = 0;
    /// Like runs are nearer, so that it is no other algorithm.
    bool by_likes = false;
    /// How many times further off the result is than its like and the reference here; 0 where they
    /// do not tell.
    double of_likes = 0;
    /// The same beside the runs here alone; 0 where it is near enough to them.
    double of_here = 0;
};

/// Which runs of an op are taken for what honest arithmetic makes.
enum class HonestRuns : uint8_t {
    kReference,  ///< the float32 reference
    kChips,      ///< the emulated chips as well
};

/// Results of the op on `wide` (float64) in steps of a format. Runs that an implementation does not
/// take are left out.
[[nodiscard]] std::vector<Results> honest_runs(const backend::Op& op,
                                               const NamedValues& wide,
                                               const NumberFormat& steps,
                                               HonestRuns which);

/// Of which result, and what it is rounded to.
struct HonestResult {
    const RecordedResult& result;
    NumberFormat results;  ///< before it is rounded to the recorded dtype
    NumberFormat steps;
};

/// Of a result in float64.
struct ExactElements {
    std::span<const double> values;
    std::vector<double> sizes{};  ///< what rounding is relative to; empty: the values' own
};

/// The shares of `limit` that the elements of `own`'s result are off by, with their signs, 0 of
/// those that are no numbers; empty where it has no such result, or is off by more than `most` and
/// so is of another class. Errors of float32 steps are scaled to narrower ones.
[[nodiscard]] std::optional<std::vector<double>> element_shares_of_own(
    const HonestResult& of,
    const Results& own,
    std::span<const double> exact,
    std::span<const double> limit,
    double most = 1);
[[nodiscard]] std::optional<Shares> shares_of_own(const HonestResult& of,
                                                  const Results& own,
                                                  std::span<const double> exact,
                                                  std::span<const double> limit,
                                                  double most = 1);
/// The same of the recorded result.
[[nodiscard]] std::vector<double> element_shares(const RecordedResult& result,
                                                 std::span<const double> exact,
                                                 std::span<const double> limit);

/// Closeness::singled_out of a result whose largest share is `most`, beside those of `own`.
[[nodiscard]] double singled_out(const RecordedResult& result,
                                 std::span<const double> exact,
                                 std::span<const double> limit,
                                 double most,
                                 std::span<const Shares> own);

/// The op on `arguments` as an emulated chip makes it, for each chip that takes them.
[[nodiscard]] std::vector<Results> chip_runs(const backend::Op& op, const NamedValues& arguments);

/// How many times further off the recorded result is at most than `own`, which computed `some` of
/// it, among elements of like size: a first look that needs no bound. Errors of less than an ulp
/// count as one. Infinity where the two cannot be held against each other.
[[nodiscard]] double times_by_size(const HonestResult& of,
                                   const ExactElements& exact,
                                   const HonestResult& some,
                                   const Results& own,
                                   const ExactElements& exact_of_some);

/// `share` of a limit, but so many half units of the result at least.
[[nodiscard]] AllowedErrors tightened(std::span<const double> limit,
                                      double share,
                                      double half_units,
                                      const RecordedResult& result,
                                      const NumberFormat& results,
                                      std::span<const double> exact);

}  // namespace npuscope::diagnose
