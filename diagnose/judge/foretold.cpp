#include "diagnose/judge/foretold.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace npuscope::diagnose {

namespace {

/// What remains must be so much smaller, as squares.
constexpr double kClearer = 16;
/// Odds of 10^6 to 1, as a natural logarithm: some dozens of patterns are tried on a result.
constexpr double kOdds = 13.8;
/// Numbers are apart by this share of the largest.
constexpr double kApart = 1.0 / (1 << 12);

size_t numbers_apart(std::span<const double> values) {
    double largest = 0;
    for (const double value : values)
        largest = std::max(largest, std::abs(value));
    if (largest == 0) return 0;
    std::set<int64_t> found;
    for (const double value : values)
        found.insert(std::llround(value / (largest * kApart)));
    return found.size();
}

}  // namespace

bool is_no_chance(double before, double after, std::span<const double> differences) {
    if (before == 0 || before < kClearer * after) return false;
    const double times = after > 0 ? before / after : HUGE_VAL;
    const auto numbers = static_cast<double>(numbers_apart(differences));
    return numbers > 1 && (numbers - 1) / 2 * std::log(times) > kOdds;
}

void Foretold::Squares::add(double value) {
    sum += value;
    squares += value * value;
}

double Foretold::Squares::rest(double count) const {
    return std::max(0.0, squares - sum * sum / count);
}

void Foretold::add(double recorded, double exact, double instead) {
    ++count_;
    errors_.add(recorded - exact);
    others_.add(instead);
    left_ += (recorded - instead) * (recorded - instead);
    const double half = format_.half_unit(instead);
    rounding_ += half * half / 3;
    differences_.push_back(instead - exact);
}

bool Foretold::by_others() const {
    if (count_ < 2) return false;
    const double left = std::max(left_, rounding_);
    // Small numbers that coarse arithmetic loses are foretold by zeros, and by whatever is small.
    if (others_.rest(count_) < kClearer * left) return false;
    return is_no_chance(errors_.rest(count_), left, differences_);
}

}  // namespace npuscope::diagnose
