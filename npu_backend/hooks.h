// What a user may look at and change around each op and kernel of an executor.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "core/event/observer.h"
#include "core/ir/value.h"

namespace npuscope {

/// Where a user hook is called.
enum class HookPoint : uint8_t { kBeforeOp, kAfterOp, kBeforeKernel, kAfterKernel };

/// What a hook sees and may change. Setting `skip` in a kBeforeKernel hook (and filling
/// `kernel_outputs`) replaces the kernel.
struct HookCall {
    std::string_view name;     ///< IR name or kernel type
    std::string_view op_name;  ///< IR name of the op (also for kernels)
    int64_t seqid = 0;
    NamedValues* inputs = nullptr;                  ///< op hooks
    NamedValues* outputs = nullptr;                 ///< kAfterOp
    std::vector<Tensor>* kernel_inputs = nullptr;   ///< kernel hooks
    std::vector<Tensor>* kernel_outputs = nullptr;  ///< kAfterKernel, and kBeforeKernel with `skip`
    FloatStatus* status = nullptr;                  ///< kAfterOp and kernel hooks
    bool skip = false;
};
using Hook = std::function<void(HookCall&)>;

}  // namespace npuscope
