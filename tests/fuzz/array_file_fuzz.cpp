// Any bytes as an array file: the readers must end without a fault.
#include <cstdint>

#include "tests/fuzz/array_file_reading.h"
#include "tests/fuzz/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const npuscope::test::MemoryFile file;
    file.set(data, size);
    static_cast<void>(
        npuscope::test::read_array_file(std::as_bytes(std::span(data, size)), file.path()));
    return 0;
}
