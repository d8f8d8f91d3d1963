// Any bytes as an ONNX model: the importer must end without a fault.
#include <cstdint>

#include "tests/fuzz/onnx_import.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static_cast<void>(npuscope::test::import_and_run(std::as_bytes(std::span(data, size))));
    return 0;
}
