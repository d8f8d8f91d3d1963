// TBE kernels: the CANN operators that IR ops launch, as rows of one table.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/value.h"
#include "npu_backend/numerics/numerics.h"

namespace npuscope {

/// Colours of allow_mix_precision: white ops are computed in float16, black ones keep float32, grey
/// ones follow the op before them. kUntouched is no kernel's: casts and ops that only re-describe
/// storage. The vendor's own lists are part of its op tables; the kernels' colours follow their
/// spirit: Cube ops are white, sums, exponentials and norms black, the rest grey.
enum class PrecisionColour : uint8_t { kWhite, kBlack, kGrey, kUntouched };

}  // namespace npuscope

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
    /// Error(kUsage): "kernel Tile: " and what the caller can mend.
    [[noreturn]] void reject(const std::string& what) const;
    /// Error(kUnsupported): this kernel does not take tensors of `dtype`.
    [[noreturn]] void refuse(DType dtype) const;
};

/// What carries a kernel out. kMove only moves elements or writes constants.
enum class Unit : uint8_t { kVector, kCube, kMove };

/// In which memory format a kernel holds a tensor: NC1HWC0 or NDC1HWC0, the first for images alone,
/// a convolution's filter, FRACTAL_NZ where the Cube takes no float32, what an attribute names.
enum class Held : uint8_t { kBase, kBlocked, kImage, kFilter, kMatrix, kNamed };

/// By position; what is not listed is kept in its base format.
struct HeldFormats {
    std::array<Held, 7> inputs = {};
    std::array<Held, 7> outputs = {};
};

/// What many kernels take and compute in.
inline constexpr std::string_view kOneRounding =
    "float16, bfloat16, float32, float64; one rounding";
inline constexpr std::string_view kThroughFloat32 =
    "float16, bfloat16 through float32; float32; float64";
inline constexpr std::string_view kFloat32Steps =
    "float16, bfloat16 through float32; float32 in steps; float64";
inline constexpr std::string_view kAnyMoved = "any; values unchanged";

/// One row of a family's table. Each family is one line in kernels.def.
struct Kernel {
    std::string_view type;  ///< CANN operator type
    Unit unit = Unit::kVector;
    bool exact = false;       ///< results have the bits of the inputs, or are those rounded once
    bool conversion = false;  ///< a compiler puts it around an operator
    bool batch_norm = false;  ///< its vectors, one number a channel, stay float32 in float16 ops
    size_t running_statistics =
        0;                     ///< output of the new running mean, the variance behind it; or 0
    HeldFormats formats = {};  ///< on a chip; a reference keeps base formats
    PrecisionColour colour = PrecisionColour::kGrey;
    std::string_view formula;                ///< per element or per row
    std::string_view dtypes = kOneRounding;  ///< what it takes, and what it computes in
    std::string_view source = {};            ///< evidence, see evidence()
    void (*run)(KernelCall& call);

    [[nodiscard]] bool is_exact() const { return exact || unit == Unit::kMove; }
    /// CANN source or manual; "ours" where nothing is public. A source that is empty or goes on
    /// with a comma or semicolon is about the CANN operator of this type.
    [[nodiscard]] std::string evidence() const;
};

#define KERNELS(family) std::span<const Kernel> family##_kernels();
#include "npu_backend/kernels/kernels.def"
#undef KERNELS

[[nodiscard]] std::span<const Kernel* const> all_kernels();
/// nullptr when there is none.
[[nodiscard]] const Kernel* find_kernel(std::string_view type);

/// Runs a recipe in float64 for float64 tensors, else in float32.
template <void (*kInFloat64)(KernelCall&), void (*kInFloat32)(KernelCall&)>
void run_in_steps(KernelCall& call) {
    (call.input(0).dtype() == DType::kFloat64 ? kInFloat64 : kInFloat32)(call);
}

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
