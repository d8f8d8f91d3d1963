#include "compare/measure/sums.h"

#include <algorithm>
#include <cmath>

namespace npuscope::compare {

void Moments::merge(const Moments& other) {
    if (other.count == 0) return;
    const double total = count + other.count;
    const double shift = other.mean - mean;
    squares += other.squares + shift * shift * (count * other.count / total);
    mean += shift * (other.count / total);
    count = total;
}

double Moments::deviation() const {
    return std::sqrt(squares / count);
}

void Sums::merge(const Sums& later) {
    if (first_nonfinite < 0) first_nonfinite = later.first_nonfinite;
    if (first_out_of_range < 0) first_out_of_range = later.first_out_of_range;
    if (later.max_d > max_d || max_d_at < 0) {
        max_d = later.max_d;
        max_d_at = later.max_d_at;
    }
    numel += later.numel;
    pairs += later.pairs;
    target_nan += later.target_nan;
    golden_nan += later.golden_nan;
    target_inf += later.target_inf;
    golden_inf += later.golden_inf;
    nonfinite_differs += later.nonfinite_differs;
    golden_out_of_range += later.golden_out_of_range;
    unequal += later.unequal;
    tt += later.tt;
    gg += later.gg;
    tg += later.tg;
    dd += later.dd;
    abs_d += later.abs_d;
    rel += later.rel;
    max_rel = std::max(max_rel, later.max_rel);
    max_ulp = std::max(max_ulp, later.max_ulp);
    within_1e3 += later.within_1e3;
    within_5e3 += later.within_5e3;
    max_abs_t = std::max(max_abs_t, later.max_abs_t);
    max_abs_g = std::max(max_abs_g, later.max_abs_g);
    min_t = std::min(min_t, later.min_t);
    max_t = std::max(max_t, later.max_t);
    min_g = std::min(min_g, later.min_g);
    max_g = std::max(max_g, later.max_g);
    t.merge(later.t);
    g.merge(later.g);
    sum_p += later.sum_p;
    sum_q += later.sum_q;
    sum_p_log += later.sum_p_log;
}

}  // namespace npuscope::compare
