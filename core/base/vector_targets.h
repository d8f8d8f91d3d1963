// Which vector instruction sets code written with Highway is compiled for: those whose registers
// have a size known to the compiler and so can be kept in arrays. Include it before
// hwy/foreach_target.h.
#pragma once

#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
