#include "overflow/detectors/detector.h"

namespace npuscope::overflow {

constinit const Detector k_nan_detector = {
    .name = "nan",
    .meaning =
        "not a number, of either sign and any payload: an invalid operation such as "
        "inf - inf or 0 * inf",
    .unit = "elements",
    .source = "IEEE 754-2019, sections 6.2 and 7.2",
    .severity = Severity::kDamage,
    .measure = count_of<&Census::nan>,
    .is_finding = is_any,
};

}  // namespace npuscope::overflow
