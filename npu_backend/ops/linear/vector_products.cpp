// Products of matrices with vectors and of vectors; sums of batched products.
#include <array>

#include "npu_backend/memory/strided.h"
#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

namespace {

void require_dimensions(const Lowering& op, std::string_view name, int64_t ndim) {
    if (op.raw(name).ndim() != ndim)
        op.reject(std::string(name) + " must have " + std::to_string(ndim) + " dimensions, not " +
                  to_string(op.raw(name).shape()));
}

Tensor column(const Tensor& vector) {
    return vector.reshaped({vector.numel(), 1});
}

Tensor row(const Tensor& vector) {
    return vector.reshaped({1, vector.numel()});
}

void lower_mv(Lowering& op) {
    require_dimensions(op, "self", 2);
    require_dimensions(op, "vec", 1);
    op.result(op.computed("mm", {{"self", op.raw("self")}, {"mat2", column(op.raw("vec"))}})
                  .at(0)
                  .reshaped({-1}),
              op.declared("self"));
}

void lower_dot(Lowering& op) {
    require_dimensions(op, "self", 1);
    require_dimensions(op, op.argument(), 1);
    const DType dtype = op.declared("self");
    if (op.declared(op.argument()) != dtype) op.reject("both vectors must have one dtype");
    if (!is_float(dtype)) {
        op.result(
            op.computed("mm",
                        {{"self", row(op.raw("self"))}, {"mat2", column(op.raw(op.argument()))}})
                .at(0)
                .reshaped({}),
            dtype);
        return;
    }
    op.result(op.launch("Dot", {op.tensor("self"), op.tensor(op.argument())}), dtype);
}

/// `self` under the shape of a matrix product, its result under `shape`.
void add_product(
    Lowering& op, const Tensor& self, const Tensor& left, const Tensor& right, const Shape& shape) {
    op.result(op.computed("addmm",
                          {{"self", self},
                           {"mat1", left},
                           {"mat2", right},
                           {"beta", op.given("beta")},
                           {"alpha", op.given("alpha")}})
                  .at(0)
                  .reshaped(shape),
              op.declared("self"));
}

void lower_addmv(Lowering& op) {
    require_dimensions(op, "mat", 2);
    require_dimensions(op, "vec", 1);
    const Tensor& self = op.raw("self");
    if (self.ndim() > 1) op.reject("self must have at most one dimension");
    const int64_t rows = op.raw("mat").dim(0);
    add_product(op,
                self.numel() == 1 ? self.reshaped({}) : column(self),
                op.raw("mat"),
                column(op.raw("vec")),
                {rows});
}

void lower_addr(Lowering& op) {
    require_dimensions(op, "vec1", 1);
    require_dimensions(op, "vec2", 1);
    add_product(op,
                op.raw("self"),
                column(op.raw("vec1")),
                row(op.raw("vec2")),
                {op.raw("vec1").numel(), op.raw("vec2").numel()});
}

/// The products of a batch, side by side as one long k.
void lower_addbmm(Lowering& op) {
    require_dimensions(op, "batch1", 3);
    require_dimensions(op, "batch2", 3);
    const Tensor& left = op.raw("batch1");
    const Tensor& right = op.raw("batch2");
    if (left.dim(0) != right.dim(0) || left.dim(2) != right.dim(1))
        op.reject(to_string(left.shape()) + " and " + to_string(right.shape()) + " do not fit");
    const Tensor rows = op.computed("permute", {{"self", left}, {"dims", IntList{1, 0, 2}}}).at(0);
    add_product(op,
                op.raw("self"),
                rows.reshaped({left.dim(1), left.dim(0) * left.dim(2)}),
                right.reshaped({right.dim(0) * right.dim(1), right.dim(2)}),
                {left.dim(1), right.dim(2)});
}

/// y = x w^T + b over the last dimension.
void lower_linear(Lowering& op) {
    const Tensor& input = op.raw("input");
    const Tensor& weight = op.raw("weight");
    if (weight.ndim() != 2 || input.ndim() < 1 || input.dim(-1) != weight.dim(1))
        op.reject("input " + to_string(input.shape()) + " and weight " + to_string(weight.shape()) +
                  " do not fit");
    Shape shape = input.shape();
    shape.back() = weight.dim(0);
    const Tensor turned = permuted(weight, {1, 0});
    const Tensor rows = input.reshaped({-1, input.dim(-1)});
    const bool biased = op.has("bias");
    NamedValues arguments;
    if (biased) arguments.push_back({"self", op.raw("bias")});
    arguments.push_back({biased ? "mat1" : "self", rows});
    arguments.push_back({"mat2", turned});
    const Tensor y = op.computed(biased ? "addmm" : "mm", std::move(arguments)).at(0);
    op.result(y.reshaped(std::move(shape)), input.dtype());
}

}  // namespace

std::span<const OpRow> vector_products_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "mv(Tensor self, Tensor vec) -> Tensor",
         .launches = {"Cast", "TransData", "MatMul", "IntegerMatMul"},
         .note = "Cast(x1), Cast(x2) where the Cube takes no float32; MatMul",
         .source = "table",
         .lower = lower_mv},
        {.schema = "dot(Tensor self, Tensor tensor) -> Tensor",
         .launches = {"Dot", "IntegerMatMul"},
         .note = "Dot; integers IntegerMatMul",
         .source = "table",
         .lower = lower_dot,
         .argument = "tensor"},
        {.schema = "vdot(Tensor self, Tensor other) -> Tensor",
         .launches = {"Dot", "IntegerMatMul"},
         .note = "Dot; integers IntegerMatMul",
         .lower = lower_dot,
         .argument = "other"},
        {.schema = "addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) "
                   "-> Tensor",
         .launches = {"Muls", "MatMul", "Add", "Axpy"},
         .as = "addmm",
         .note = "as addmm: Muls, MatMul, Add or Axpy",
         .source = "indirect",
         .lower = lower_addmv},
        {.schema = "addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) "
                   "-> Tensor",
         .launches = {"Muls", "MatMul", "Add", "Axpy"},
         .as = "addmm",
         .note = "as addmm: Muls, MatMul, Add or Axpy",
         .source = "indirect",
         .lower = lower_addr},
        {.schema = "addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar "
                   "alpha=1) -> Tensor",
         .launches = {"Muls", "MatMul", "Add", "Axpy"},
         .as = "addmm",
         .note = "as addmm of one long k: Muls, MatMul, Add or Axpy",
         .source = "indirect",
         .lower = lower_addbmm},
        {.schema = "linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor",
         .launches = {"MatMul", "Add"},
         .as = "addmm",
         .note = "as addmm or mm of the input's rows: MatMul, Add",
         .lower = lower_linear},
    });
    return kRows;
}

}  // namespace npuscope::backend
