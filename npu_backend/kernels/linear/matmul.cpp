// Matrix products on the Cube.
#include <array>
#include <cstdint>
#include <mutex>

#include "core/base/error.h"
#include "core/parallel/parallel_for.h"
#include "core/tensor/op_budget.h"
#include "npu_backend/kernels/linear/cube.h"
#include "npu_backend/numerics/rounding.h"

namespace npuscope::backend {

namespace {

struct Sides {
    bool transpose_a, transpose_b;
    int64_t batch, m, n, k;
};

Sides sides_of(const KernelCall& call, bool transpose_a, bool transpose_b) {
    const Shape& a = call.input(0).shape();
    const Shape& b = call.input(1).shape();
    const size_t at = a.size() - 2;
    const bool shaped =
        a.size() == b.size() && a.size() >= 2 && a.size() <= 3 && (a.size() == 2 || a[0] == b[0]);
    if (!shaped || a[transpose_a ? at : at + 1] != b[transpose_b ? at + 1 : at])
        throw Error(
            ErrorKind::kUsage,
            "shapes " + to_string(a) + " and " + to_string(b) + " do not fit a matrix product");
    return {transpose_a,
            transpose_b,
            a.size() == 3 ? a[0] : 1,
            a[transpose_a ? at + 1 : at],
            b[transpose_b ? at : at + 1],
            a[transpose_a ? at : at + 1]};
}

/// Both sides of product number `batch` as lines of k.
template <class W>
CubeProduct<W> one_product(
    const CubeOperand<W>& a, const CubeOperand<W>& b, W* c, const Sides& sides, int64_t batch) {
    const auto& [transpose_a, transpose_b, batches, m, n, k] = sides;
    const Lines<W> left{a.data() + batch * m * k, transpose_a ? 1 : k, transpose_a ? m : 1};
    const Lines<W> right{b.data() + batch * k * n, transpose_b ? k : 1, transpose_b ? 1 : n};
    return {.chains = {c + batch * m * n, n, m, n, k},
            .left = left,
            .right = stored(right, k),
            .left_range = a.range,
            .right_range = b.range,
            .model = {}};
}

template <class W>
void product(KernelCall& call, bool transpose_a, bool transpose_b, DType output) {
    const Sides sides = sides_of(call, transpose_a, transpose_b);
    OpBudget::take_steps({sides.batch, sides.m, sides.n, sides.k});
    const bool hf32 = !call.numerics.reference() && call.numerics.device.options.matmul_hf32 &&
                      call.input(0).dtype() == DType::kFloat32;
    const CubeOperand<W> a = cube_operand<W>(call, call.input(0), hf32);
    const CubeOperand<W> b = cube_operand<W>(call, call.input(1), hf32);
    Shape shape = {sides.m, sides.n};
    if (call.input(0).ndim() == 3) shape.insert(shape.begin(), sides.batch);
    Tensor sums = accumulators<W>(shape);
    W* c = sums.mutable_as<W>().data();
    const CubeModel model = cube_model(call.numerics, call.input(0).dtype());
    const bool small = sides.batch * sides.m * sides.n * sides.k < 100000;
    // One large product is spread inside, many are spread over the batch.
    const int inside = small || sides.batch > 1 ? 1 : call.numerics.threads;
    std::mutex mutex;
    parallel_for(sides.batch, small ? 1 : call.numerics.threads, [&](int64_t batch) {
        CubeProduct<W> part = one_product(a, b, c, sides, batch);
        part.model = model;
        multiply_add<W>(part, nullptr, inside);
        FloatStatus status;
        check_accumulators<W>(part, nullptr, status);
        const std::lock_guard guard(mutex);
        call.status.merge(status);
    });
    call.outputs = {output == DType::kInt32 ? copy_out_integers(sums, call)
                                            : copy_out<W>(std::move(sums), output, call)};
}

void run_product(KernelCall& call, bool transpose_a, bool transpose_b) {
    const DType dtype = call.input(0).dtype();
    if (takes_integers(call)) {
        product<double>(call, transpose_a, transpose_b, DType::kInt32);
        return;
    }
    require_cube_dtype(call, dtype);
    if (call.input(1).dtype() != dtype) call.refuse(call.input(1).dtype());
    const DType output = call.dtype("output_dtype").value_or(dtype);
    if (dtype == DType::kFloat64)
        product<double>(call, transpose_a, transpose_b, output);
    else
        product<float>(call, transpose_a, transpose_b, output);
}

void run_matmul(KernelCall& call) {
    run_product(call, call.flag("transpose_x1"), call.flag("transpose_x2"));
}

void run_batch_matmul(KernelCall& call) {
    run_product(call, call.flag("adj_x1"), call.flag("adj_x2"));
}

}  // namespace

std::span<const Kernel> matmul_kernels() {
    using enum Held;
    constexpr std::string_view kDTypes =
        "float16, bfloat16 and float32 where the chip's Cube takes them, accumulated in float32; "
        "float64 in float64; result in output_dtype; int8, uint8 and int4 (as int8, operand_bits "
        "4) where the Cube takes them, exactly to int32";
    constexpr std::string_view kSource =
        "CANN operator of this name, Intrinsic_mmad; the order of the sum inside the Cube is not "
        "public, option cube_acc here";
    static constexpr auto kRows = std::to_array<Kernel>({
        {.type = "MatMul",
         .unit = Unit::kCube,
         .formats = {{kMatrix, kMatrix}, {kMatrix}},
         .colour = PrecisionColour::kWhite,
         .formula = "y[m,n] = sum over k of x1[m,k] x2[k,n]",
         .dtypes = kDTypes,
         .source = kSource,
         .run = run_matmul},
        {.type = "BatchMatMul",
         .unit = Unit::kCube,
         .formats = {{kMatrix, kMatrix}, {kMatrix}},
         .colour = PrecisionColour::kWhite,
         .formula = "y[b,m,n] = sum over k of x1[b,m,k] x2[b,k,n]",
         .dtypes = kDTypes,
         .source = kSource,
         .run = run_batch_matmul},
    });
    return kRows;
}

}  // namespace npuscope::backend
