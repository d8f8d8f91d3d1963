// Any bytes as an HDF5 file: the walker must end without a fault.
#include <cstdint>

#include "tests/fuzz/h5_walk.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static_cast<void>(npuscope::test::walk(std::as_bytes(std::span(data, size))));
    return 0;
}
