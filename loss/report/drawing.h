// Two losses and their difference as an SVG picture.
#pragma once

#include <string>

#include "loss/report/report.h"

namespace npuscope::loss {

/// The picture of one target beside the golden: losses above, the size of their difference and the limit of
/// like runs below on a logarithmic scale, a mark where they part. Long curves keep the lowest and highest value
/// of each column of dots. Unit: pixels, 900 by 560.
[[nodiscard]] std::string to_svg(const Comparison& comparison, size_t target);

}  // namespace npuscope::loss
