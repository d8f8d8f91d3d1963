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
        if (!std::isfinite(difference)) continue;
        const bool excused = i == 0 && options.any_start;
        if (difference > limit && !limits.parting && !excused) limits.parting = i;
        if (!limits.parting) largest = std::max(largest, difference);
    }
    return limits;
}

}  // namespace npuscope::loss
