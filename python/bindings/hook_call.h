// What a Python hook sees of an op or kernel, and may change.
#pragma once

#include <string>
#include <vector>

#include <pybind11/pybind11.h>

#include "npu_backend/executor.h"

namespace npuscope::python {

/// Named values (an op's) or numbered tensors (a kernel's), changed in place. Valid during the
/// hook; afterwards every access is Error(kUsage).
struct HookValues {
    NamedValues* named = nullptr;
    std::vector<Tensor>* numbered = nullptr;
};

/// The Python side of HookCall; valid as its values are.
struct PythonHookCall {
    HookCall* call = nullptr;
    std::string name;
    std::string op_name;
    int64_t seqid = 0;
    // Shared with Python, which may keep them after the hook.
    std::shared_ptr<HookValues> inputs = std::make_shared<HookValues>();
    std::shared_ptr<HookValues> outputs = std::make_shared<HookValues>();

    explicit PythonHookCall(HookCall& hook_call);
    /// Ends the validity.
    void close();
};

/// "before_op", "after_op", "before_kernel", "after_kernel". Errors: Error(kUsage).
[[nodiscard]] HookPoint hook_point(const std::string& name);
/// Calls `function(call)` with Python's lock held.
[[nodiscard]] Hook python_hook(pybind11::function function);

void register_hooks(pybind11::module_& module);

}  // namespace npuscope::python
