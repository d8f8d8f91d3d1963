// Any bytes as a dump in CANN's binary format: the reader must end without a fault.
#include <cstdint>

#include "tests/fuzz/binary_dump_reading.h"
#include "tests/fuzz/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const npuscope::test::MemoryFile file;
    file.set(data, size);
    static_cast<void>(npuscope::test::read_binary_dump(file.path()));
    return 0;
}
