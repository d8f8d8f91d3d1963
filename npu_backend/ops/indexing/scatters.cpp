// Ops that write elements to places named by an index.
#include <array>
#include <string>
#include <utility>

#include "npu_backend/memory/strided.h"
#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

namespace {

/// `src` under index's shape.
void scatter(Lowering& op, const Tensor& src, const std::string& reduction) {
    const Tensor self = reduction == "none" ? op.raw("self") : op.tensor("self");
    op.result(op.launch("ScatterElements",
                        {self, op.raw("index"), src},
                        {{"axis", normalized_axis(op.integer("dim"), self.ndim())},
                         {"reduction", reduction}}),
              op.declared("self"));
}

/// The row's argument is the reduction, where the op has none of its own.
std::string scatter_reduction(const Lowering& op) {
    if (!op.argument().empty()) return std::string(op.argument());
    const std::string& reduce = op.text("reduce");
    if (reduce == "add") return "add";
    if (reduce != "multiply") op.reject("reduce must be 'add' or 'multiply'");
    return "mul";
}

void lower_scatter(Lowering& op) {
    const std::string reduction = scatter_reduction(op);
    if (op.declared("src") != op.declared("self")) op.reject("self and src differ in dtype");
    scatter(op, reduction == "none" ? op.raw("src") : op.tensor("src"), reduction);
}

void lower_scatter_number(Lowering& op) {
    const std::string reduction = scatter_reduction(op);
    const Tensor& self = op.raw("self");
    const DType dtype = reduction == "none" ? self.dtype() : op.numerics().held(self.dtype());
    const Tensor value = Tensor::scalar<double>(op.number("value")).cast(dtype);
    const Shape& shape = op.raw("index").shape();
    scatter(op, gather(value, {shape, std::vector<int64_t>(shape.size(), 0), 0}), reduction);
}

void lower_scatter_reduce_two(Lowering& op) {
    if (op.declared("src") != op.declared("self")) op.reject("self and src differ in dtype");
    const std::string& reduce = op.text("reduce");
    if (!op.flag("include_self")) op.reject("include_self=False is not supported");
    for (const auto& [name, reduction] : {std::pair{"sum", "add"},
                                          std::pair{"prod", "mul"},
                                          std::pair{"amax", "max"},
                                          std::pair{"amin", "min"}})
        if (reduce == name) return scatter(op, op.tensor("src"), reduction);
    op.reject("reduce must be sum, prod, amax or amin");
}

}  // namespace

std::span<const OpRow> scatters_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor",
         .launches = {"ScatterElements"},
         .source = "table",
         .lower = lower_scatter,
         .argument = "none"},
        {.schema = "scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor",
         .launches = {"ScatterElements"},
         .lower = lower_scatter,
         .argument = "add"},
        {.schema = "scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor",
         .launches = {"ScatterElements"},
         .source = "table",
         .lower = lower_scatter_number,
         .argument = "none"},
        {.schema = "scatter.reduce(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) "
                   "-> Tensor",
         .launches = {"ScatterElements"},
         .lower = lower_scatter},
        {.schema = "scatter.value_reduce(Tensor self, int dim, Tensor index, Scalar value, *, str "
                   "reduce) -> Tensor",
         .launches = {"ScatterElements"},
         .lower = lower_scatter_number},
        {.schema = "scatter_reduce.two(Tensor self, int dim, Tensor index, Tensor src, str reduce, "
                   "*, bool include_self=True) -> Tensor",
         .launches = {"ScatterElements"},
         .lower = lower_scatter_reduce_two},
    });
    return kRows;
}

}  // namespace npuscope::backend
