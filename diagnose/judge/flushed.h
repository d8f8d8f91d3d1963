// Units of 16 bits that know no subnormal numbers.
#pragma once

#include <span>

#include "diagnose/judge/number_format.h"
#include "diagnose/judge/result_error.h"

namespace npuscope::diagnose {

/// Where no element of the result, of eight or more, is a subnormal number of the steps' float16,
/// those whose exact values are such may have become 0. Of other formats nothing is done: where
/// exponents are float32's, NumberFormat::lost_near_zero() allows for it.
void allow_flushed(const NumberFormat& steps,
                   const RecordedResult& result,
                   std::span<const double> exact,
                   AllowedErrors& limits);

}  // namespace npuscope::diagnose
