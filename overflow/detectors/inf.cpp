#include "overflow/detectors/detector.h"

namespace npuscope::overflow {

constinit const Detector k_inf_detector = {
    .name = "inf",
    .meaning =
        "infinities of either sign: overflow on a chip in inf/nan mode, or a division by "
        "zero",
    .unit = "elements",
    .source = "IEEE 754-2019, sections 6.1 and 7.4",
    .severity = Severity::kDamage,
    .measure = count_of<&Census::inf>,
    .is_finding = is_any,
};

}  // namespace npuscope::overflow
