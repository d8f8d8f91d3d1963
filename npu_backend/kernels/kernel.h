// TBE kernels: the CANN operators that IR ops launch, as rows of one table.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/value.h"
#include "npu_backend/numerics/numerics.h"

namespace npuscope::backend {

/// One launch. A kernel reads `inputs` and `attributes` and fills `outputs` and `status`.
struct KernelCall {
    std::string_view type;
    std::vector<Tensor> inputs;
    NamedValues attributes;
    const Numerics& numerics;
    std::vector<Tensor> outputs = {};
    FloatStatus status = {};

    /// Errors of all: Error(kInternal) names kernel and attribute or input.
    [[nodiscard]] const Tensor& input(size_t index) const;
    [[nodiscard]] bool has_attribute(std::string_view name) const;
    [[nodiscard]] int64_t integer(std::string_view name) const;
    [[nodiscard]] double number(std::string_view name) const;
    [[nodiscard]] bool flag(std::string_view name) const;  ///< false when absent
    [[nodiscard]] const IntList& ints(std::string_view name) const;
    [[nodiscard]] const std::string& text(std::string_view name) const;
    [[nodiscard]] std::optional<DType> dtype(std::string_view name) const;
    /// Error(kUnsupported): this kernel does not take tensors of `dtype`.
    [[noreturn]] void refuse(DType dtype) const;
};

/// One row of a family's table. Each family is one line in kernels.def.
struct Kernel {
    std::string_view type;     ///< CANN operator type
    std::string_view formula;  ///< per element or per row
    std::string_view dtypes;   ///< what it takes, and what it computes in
    std::string_view source;   ///< evidence: CANN source or manual; "ours" where nothing is public
    void (*run)(KernelCall& call);
};

[[nodiscard]] std::span<const Kernel* const> all_kernels();
/// nullptr when there is none.
[[nodiscard]] const Kernel* find_kernel(std::string_view type);

/// Calls f.template operator()<T>() for a float dtype; refuses any other.
template <class F>
void visit_float(const KernelCall& call, DType dtype, F&& f) {
    visit_dtype(dtype, [&]<class T>() {
        if constexpr (requires(T value) { to_float(value); } || std::is_floating_point_v<T>) {
            f.template operator()<T>();
        } else {
            call.refuse(dtype);
        }
    });
}

}  // namespace npuscope::backend
