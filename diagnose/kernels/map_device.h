// The flow `map` on the kernel dumps of a device.
#pragma once

#include "diagnose/kernels/map.h"

namespace npuscope::diagnose {

/// As map_ops with `from`. Errors: also as read_device_dumps.
[[nodiscard]] Mapping map_device(const MapOptions& options);

}  // namespace npuscope::diagnose
