#include "loss/limits.h"

#include <algorithm>
#include <cmath>

namespace npuscope::loss {

namespace {

// The largest difference of like runs up to each step of the pair.
std::vector<double> like_envelope(const Pairing& pair, const std::vector<Pairing>& like) {
    std::vector<double> envelope(pair.size(), 0);
    for (const Pairing& run : like) {
        size_t j = 0;
        double largest = 0;
        for (size_t i = 0; i < pair.size(); ++i) {
            for (; j < run.size() && run.steps[j] <= pair.steps[i]; ++j)
                if (std::isfinite(run.difference(j)))
                    largest = std::max(largest, std::abs(run.difference(j)));
            envelope[i] = std::max(envelope[i], largest);
        }
    }
    return envelope;
}

// Far beyond the limit, or with one of the next two steps: single outliers are part of the noise.
bool is_beyond(const Pairing& pair, size_t i, double limit) {
    const auto beyond = [&](size_t k) {
        return k < pair.size() && std::abs(pair.difference(k)) > limit;
    };
    if (!beyond(i)) return false;
    return i == 0 || i + 1 >= pair.size() || std::abs(pair.difference(i)) > kFar * limit ||
           beyond(i + 1) || beyond(i + 2);
}

}  // namespace

Limits limits_of(const Pairing& pair, const std::vector<Pairing>& like, const Options& options) {
    Limits limits;
    limits.from_like = !like.empty();
    limits.limit.resize(pair.size());
    const std::vector<double> envelope = like_envelope(pair, like);
    const double rounding = rounding_of(options.precision);
    double largest = 0;
    for (size_t i = 0; i < pair.size(); ++i) {
        double limit = kUnits * pair.unit[i];
        if (limits.from_like) {
            limit = std::max(limit, kLikeScatter * envelope[i]);
        } else {
            const double floor = rounding * std::abs(pair.golden[i]);
            limit = std::max(limit, floor);
            limit = std::max(limit, kScatter * largest);
        }
        if (std::isfinite(limit)) limits.limit[i] = limit;
        const double difference = std::abs(pair.difference(i));
        if (!std::isfinite(difference) || limits.parting) continue;
        const bool excused = i == 0 && options.any_start;
        if (!excused && is_beyond(pair, i, limits.limit[i]))
            limits.parting = i;
        else
            largest = std::max(largest, difference);
    }
    return limits;
}

}  // namespace npuscope::loss
