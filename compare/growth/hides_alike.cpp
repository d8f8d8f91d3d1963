#include "compare/growth/hides_alike.h"

#include <cmath>
#include <optional>
#include <span>

#include "compare/growth/elements_of_pair.h"
#include "core/base/error.h"

namespace npuscope::compare {

namespace {

/// Of two numbers on either side: which of the golden's stands for which of the target's.
struct Numbers {
    double target = 0;
    double golden = 0;
};

}  // namespace

bool hides_alike(const OpPair& pair, const TensorResult& result) try {
    const auto elements = elements_of(pair, result);
    if (!elements) return false;
    const std::span<const double> mine = elements->target.as<double>();
    const std::span<const double> theirs = elements->golden.as<double>();
    const Numbers first{mine.front(), theirs.front()};
    std::optional<Numbers> other;
    for (size_t i = 0; i < mine.size(); ++i) {
        if (std::isnan(mine[i]) || std::isnan(theirs[i])) return false;
        if (mine[i] == first.target && theirs[i] == first.golden) continue;
        if (!other) other = {mine[i], theirs[i]};
        const bool is_apart = other->target != first.target && other->golden != first.golden;
        if (!is_apart || mine[i] != other->target || theirs[i] != other->golden) return false;
    }
    return other.has_value();
} catch (const Error&) {
    return false;
}

}  // namespace npuscope::compare
