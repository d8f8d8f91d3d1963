// Matrix products on the Cube.
#include <array>

#include "npu_backend/ops/linear/cube_inputs.h"
#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

namespace {

void require_same_dtype(const Lowering& op, const Tensor& a, const Tensor& b) {
    if (a.dtype() != b.dtype() || a.dtype() == DType::kBool)
        op.reject("operands must be numbers of one dtype, not " + std::string(name_of(a.dtype())) +
                  " and " + std::string(name_of(b.dtype())));
}

/// Exactly, in 64 bits. Matrices are a batch of one.
Tensor whole_product(Lowering& op, const Tensor& a, const Tensor& b) {
    const auto batch = [](const Tensor& x) {
        return x.ndim() == 3 ? x : x.reshaped({1, x.dim(0), x.dim(1)});
    };
    const Tensor y = op.launch("IntegerMatMul", {batch(a), batch(b)});
    return a.ndim() == 3 ? y : y.reshaped({y.dim(1), y.dim(2)});
}

Tensor product(Lowering& op, Tensor a, Tensor b, DType declared, bool batched) {
    const int64_t ndim = batched ? 3 : 2;
    if (a.ndim() != ndim || b.ndim() != ndim)
        op.reject("operands must have " + std::to_string(ndim) + " dimensions, not " +
                  to_string(a.shape()) + " and " + to_string(b.shape()));
    if (!is_float(declared)) return whole_product(op, a, b);
    CubeInputs inputs =
        cube_inputs(op, {std::move(a), std::move(b)}, declared, CubeUse::kMatrixProduct);
    NamedValues attributes = {{batched ? "adj_x1" : "transpose_x1", false},
                              {batched ? "adj_x2" : "transpose_x2", false},
                              {"output_dtype", inputs.output}};
    const bool fractal = op.numerics().matrices_in_fractal_nz();
    if (fractal)
        for (Tensor& tensor : inputs.tensors)
            tensor = op.format_cast(std::move(tensor), "ND", "FRACTAL_NZ");
    Tensor y = op.launch(
        batched ? "BatchMatMul" : "MatMul", std::move(inputs.tensors), std::move(attributes));
    if (fractal) y = op.format_cast(std::move(y), "FRACTAL_NZ", "ND");
    return op.cast(std::move(y), declared);
}

void lower_product(Lowering& op, const char* left, const char* right, int64_t ndim) {
    const Tensor& a = op.raw(left);
    const Tensor& b = op.raw(right);
    require_same_dtype(op, a, b);
    op.result(product(op, op.tensor(left), op.tensor(right), a.dtype(), ndim == 3), a.dtype());
}

void lower_mm(Lowering& op) {
    lower_product(op, "self", "mat2", 2);
}

void lower_bmm(Lowering& op) {
    lower_product(op, "self", "mat2", 3);
}

/// beta * self + x, the addition after the product.
Tensor add_scaled(Lowering& op, Tensor x, Tensor self, double beta) {
    if (beta == 1.0) return op.launch("Add", {std::move(x), std::move(self)});
    return op.launch("Axpy", {std::move(x), std::move(self)}, {{"alpha", beta}});
}

void lower_add_product(Lowering& op, const char* left, const char* right, bool batched) {
    const Tensor& a = op.raw(left);
    require_same_dtype(op, a, op.raw(right));
    require_same_dtype(op, a, op.raw("self"));
    Tensor scaled = op.tensor(left);
    const double alpha = op.number("alpha");
    const bool whole = !is_float(a.dtype());
    const double beta = op.number("beta");
    if (whole && (alpha != 1.0 || (beta != 1.0 && beta != 0.0)))
        op.reject("alpha and beta must be 1 for integers");
    if (!whole && (op.on_chip() || alpha != 1.0))
        scaled = op.launch("Muls", {std::move(scaled)}, {{"value", alpha}});
    Tensor y = product(op, std::move(scaled), op.tensor(right), a.dtype(), batched);
    if (beta != 0.0) {
        const Shape shape = y.shape();
        y = add_scaled(op, std::move(y), op.tensor("self"), beta);
        if (y.shape() != shape) op.reject("self does not broadcast to " + to_string(shape));
    }
    op.result(std::move(y), a.dtype());
}

void lower_addmm(Lowering& op) {
    lower_add_product(op, "mat1", "mat2", false);
}

void lower_baddbmm(Lowering& op) {
    lower_add_product(op, "batch1", "batch2", true);
}

}  // namespace

std::span<const OpRow> matrix_products_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "mm(Tensor self, Tensor mat2) -> Tensor",
         .launches = {"Cast", "TransData", "MatMul", "IntegerMatMul"},
         .note = "Cast(x1), Cast(x2), TransData where the Cube takes no float32; MatMul; integers "
                 "IntegerMatMul",
         .source = "spec",
         .lower = lower_mm},
        {.schema = "bmm(Tensor self, Tensor mat2) -> Tensor",
         .launches = {"Cast", "TransData", "BatchMatMul", "IntegerMatMul"},
         .note = "Cast(x1), Cast(x2), TransData where the Cube takes no float32; BatchMatMul; "
                 "integers IntegerMatMul",
         .source = "spec",
         .lower = lower_bmm},
        {.schema = "addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) "
                   "-> Tensor",
         .launches = {"Muls", "Cast", "TransData", "MatMul", "IntegerMatMul", "Add", "Axpy"},
         .note = "Muls(mat1, alpha); Cast(x1), Cast(x2), TransData where the Cube takes no "
                 "float32; MatMul; Add, or Axpy when beta is not 1",
         .source = "spec",
         .lower = lower_addmm},
        {.schema = "baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar "
                   "alpha=1) -> Tensor",
         .launches = {"BatchMatMul"},
         .as = "addmm",
         .note = "as addmm with BatchMatMul",
         .source = "table",
         .lower = lower_baddbmm},
    });
    return kRows;
}

}  // namespace npuscope::backend
