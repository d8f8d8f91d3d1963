// Circular and hyperbolic functions and their inverses.
#include <array>

#include "npu_backend/ops/pointwise/elementwise.h"

namespace npuscope::backend {

std::span<const OpRow> trigonometry_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "sin(Tensor self) -> Tensor",
         .launches = {"Sin"},
         .source = "table",
         .lower = lower_float},
        {.schema = "cos(Tensor self) -> Tensor",
         .launches = {"Cos"},
         .source = "table",
         .lower = lower_float},
        {.schema = "tan(Tensor self) -> Tensor",
         .launches = {"Tan"},
         .source = "table",
         .lower = lower_float},
        {.schema = "asin(Tensor self) -> Tensor",
         .launches = {"Asin"},
         .source = "table",
         .lower = lower_float},
        {.schema = "acos(Tensor self) -> Tensor",
         .launches = {"Acos"},
         .source = "table",
         .lower = lower_float},
        {.schema = "atan(Tensor self) -> Tensor",
         .launches = {"Atan"},
         .source = "table",
         .lower = lower_float},
        {.schema = "sinh(Tensor self) -> Tensor",
         .launches = {"Sinh"},
         .source = "table",
         .lower = lower_float},
        {.schema = "cosh(Tensor self) -> Tensor",
         .launches = {"Cosh"},
         .source = "table",
         .lower = lower_float},
        {.schema = "asinh(Tensor self) -> Tensor", .launches = {"Asinh"}, .lower = lower_float},
        {.schema = "acosh(Tensor self) -> Tensor", .launches = {"Acosh"}, .lower = lower_float},
        {.schema = "atanh(Tensor self) -> Tensor", .launches = {"Atanh"}, .lower = lower_float},
        {.schema = "atan2(Tensor self, Tensor other) -> Tensor",
         .launches = {"Atan2"},
         .source = "table",
         .lower = lower_binary_float},
    });
    return kRows;
}

}  // namespace npuscope::backend
