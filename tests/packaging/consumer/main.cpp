// Writes a dump of one op on the emulated chip.
#include "dumper/dump_scope.h"
#include "npu_backend/executor.h"

int main() {
    using npuscope::Tensor;
    npuscope::Executor npu{npuscope::chip("910A")};
    const npuscope::dumper::DumpScope dump{npu, {.use_dump = true, .dump_path = "model_npu.h5"}};
    npu.call("relu", {Tensor::from<float>({2}, {-1, 2})});
}
