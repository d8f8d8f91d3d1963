// A dump file that is open for comparison: its reader and the index of all it holds.
#pragma once

#include "core/h5/h5.h"
#include "core/h5/index.h"

namespace npuscope::msaccucmp {

struct OpenDump {
    h5::Reader reader;
    h5::Index index;
};

}  // namespace npuscope::msaccucmp
