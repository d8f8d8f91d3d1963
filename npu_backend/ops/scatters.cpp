// Ops that write elements to places named by an index.
#include <array>

#include "npu_backend/memory/strided.h"
#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

namespace {

void scatter(Lowering& op, const std::string& reduction) {
    if (op.declared("src") != op.declared("self")) op.reject("self and src differ in dtype");
    const bool moved = reduction == "none";
    const Tensor self = moved ? op.raw("self") : op.tensor("self");
    const Tensor src = moved ? op.raw("src") : op.tensor("src");
    const int64_t axis = normalized_axis(op.integer("dim"), self.ndim());
    op.result(op.launch("ScatterElements",
                        {self, op.raw("index"), src},
                        {{"axis", axis}, {"reduction", reduction}}),
              op.declared("self"));
}

void lower_scatter(Lowering& op) {
    scatter(op, "none");
}

void lower_scatter_add(Lowering& op) {
    scatter(op, "add");
}

void lower_scatter_reduce(Lowering& op) {
    const std::string& reduce = op.text("reduce");
    if (!op.flag("include_self")) op.reject("include_self=False is not supported");
    if (reduce == "sum") return scatter(op, "add");
    if (reduce == "prod") return scatter(op, "mul");
    if (reduce == "amax") return scatter(op, "max");
    if (reduce == "amin") return scatter(op, "min");
    op.reject("reduce must be sum, prod, amax or amin");
}

}  // namespace

std::span<const OpRow> scatters_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor",
         .launches = {"ScatterElements"},
         .source = "table",
         .lower = lower_scatter},
        {.schema = "scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor",
         .launches = {"ScatterElements"},
         .lower = lower_scatter_add},
        {.schema = "scatter_reduce.two(Tensor self, int dim, Tensor index, Tensor src, str reduce, "
                   "*, bool include_self=True) -> Tensor",
         .launches = {"ScatterElements"},
         .lower = lower_scatter_reduce},
    });
    return kRows;
}

}  // namespace npuscope::backend
