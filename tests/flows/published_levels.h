// The rows of published_levels.def.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace npuscope::test {

struct PublishedLevel {
    std::string_view precision;
    double relative, share, hard;
};

#define LEVEL(...)
#define ULPS(...)
#define MATRIX(...)
#define DEMOTED(...)
#define COSINE(...)

#undef LEVEL
#define LEVEL(precision, relative, share, hard, grade, source) {precision, relative, share, hard},
inline constexpr PublishedLevel kPublishedLevels[] = {
#include "tests/flows/published_levels.def"
};
#undef LEVEL
#define LEVEL(...)

#undef ULPS
#define ULPS(mean, units, share, grade, source) {mean, units, share},
inline constexpr struct {
    double mean, units, share;
} kPublishedUlps[] = {
#include "tests/flows/published_levels.def"
};
#undef ULPS
#define ULPS(...)

#undef MATRIX
#define MATRIX(level, grade, source) level,
inline constexpr double kPublishedMatrix[] = {
#include "tests/flows/published_levels.def"
};
#undef MATRIX
#define MATRIX(...)

#undef DEMOTED
#define DEMOTED(level, grade, source) level,
inline constexpr double kPublishedDemotion[] = {
#include "tests/flows/published_levels.def"
};
#undef DEMOTED
#define DEMOTED(...)

#undef COSINE
#define COSINE(smallest, grade, source) smallest,
inline constexpr double kPublishedCosine[] = {
#include "tests/flows/published_levels.def"
};

#undef LEVEL
#undef ULPS
#undef MATRIX
#undef DEMOTED
#undef COSINE

/// Errors: std::out_of_range for a precision without a level.
inline const PublishedLevel& published_level(std::string_view precision) {
    for (const PublishedLevel& row : kPublishedLevels)
        if (row.precision == precision) return row;
    throw std::out_of_range("no published level for " + std::string(precision));
}

}  // namespace npuscope::test
