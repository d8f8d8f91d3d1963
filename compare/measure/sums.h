// Everything the metrics need of one tensor pair, gathered in one pass and mergeable tile by tile.
#pragma once

#include <cstdint>
#include <limits>

namespace npuscope::compare {

/// Mean and sum of squared deviations. Source: Chan, Golub, LeVeque (1983), pairwise update.
struct Moments {
    double count = 0;
    double mean = 0;
    double squares = 0;

    void merge(const Moments& other);
    [[nodiscard]] double deviation() const;  ///< population standard deviation; NaN when empty
};

/// Sums and extremes in double. "Pairs" are the elements where both sides are finite; all numbers
/// but the counts are over pairs. t is the target, g the golden rounded to the target's dtype.
struct Sums {
    int64_t numel = 0;
    int64_t pairs = 0;

    int64_t target_nan = 0;
    int64_t golden_nan = 0;
    int64_t target_inf = 0;
    int64_t golden_inf = 0;
    int64_t nonfinite_differs = 0;    ///< NaN or inf on one side only, or inf of another sign
    int64_t first_nonfinite = -1;     ///< flat index of the first of these
    int64_t golden_out_of_range = 0;  ///< finite golden values that the target's dtype cannot hold
    int64_t first_out_of_range = -1;
    int64_t unequal = 0;  ///< pairs with t != g

    double tt = 0;       ///< sum t*t
    double gg = 0;       ///< sum g*g
    double tg = 0;       ///< sum t*g
    double dd = 0;       ///< sum (t-g)^2
    double abs_d = 0;    ///< sum |t-g|
    double rel = 0;      ///< sum of |t-g|/|g| where |g| > eps, 0 elsewhere
    double max_rel = 0;  ///< its largest
    double max_d = 0;    ///< max |t-g|
    int64_t max_d_at = -1;
    double max_ulp = 0;  ///< in units of the target's dtype; integers: the difference
    int64_t within_1e3 = 0;
    int64_t within_5e3 = 0;

    double max_abs_t = 0;
    double max_abs_g = 0;
    double min_t = std::numeric_limits<double>::infinity();
    double max_t = -std::numeric_limits<double>::infinity();
    double min_g = std::numeric_limits<double>::infinity();
    double max_g = -std::numeric_limits<double>::infinity();
    Moments t;
    Moments g;

    // Second pass, with the extremes known: normalised values P, Q of t and g.
    double sum_p = 0;
    double sum_q = 0;
    double sum_p_log = 0;  ///< sum P ln(P/Q)

    /// Adds what comes after `this` in element order.
    void merge(const Sums& later);
};

/// Machine epsilon of float64: the floor below which |g| is not divided by, as in msaccucmp.
inline constexpr double kRelativeFloor = 2.220446049250313e-16;

}  // namespace npuscope::compare
