// Matrix products on the Cube.
#include <array>
#include <mutex>

#include "core/base/error.h"
#include "core/parallel/parallel_for.h"
#include "npu_backend/kernels/cube.h"
#include "npu_backend/numerics/rounding.h"

namespace npuscope::backend {

namespace {

/// Rows of a product that one task computes; fixed, so that nothing depends on the threads.
constexpr int64_t kRowTile = 256;

struct Sizes {
    int64_t batch, m, n, k;
};

Sizes sizes_of(const KernelCall& call, bool transpose_a, bool transpose_b) {
    const Shape& a = call.input(0).shape();
    const Shape& b = call.input(1).shape();
    const size_t at = a.size() - 2;
    const bool shaped =
        a.size() == b.size() && a.size() >= 2 && a.size() <= 3 && (a.size() == 2 || a[0] == b[0]);
    if (!shaped || a[transpose_a ? at : at + 1] != b[transpose_b ? at + 1 : at])
        throw Error(
            ErrorKind::kUsage,
            "shapes " + to_string(a) + " and " + to_string(b) + " do not fit a matrix product");
    return {a.size() == 3 ? a[0] : 1,
            a[transpose_a ? at + 1 : at],
            b[transpose_b ? at : at + 1],
            a[transpose_a ? at : at + 1]};
}

template <class W>
void product(KernelCall& call, bool transpose_a, bool transpose_b, DType output) {
    const Sizes size = sizes_of(call, transpose_a, transpose_b);
    const bool hf32 = !call.numerics.reference() && call.numerics.device.chip->matmul_hf32 &&
                      call.input(0).dtype() == DType::kFloat32;
    const std::vector<W> a = cube_operand<W>(call.input(0), hf32, call.status);
    const std::vector<W> b = cube_operand<W>(call.input(1), hf32, call.status);
    std::vector<W> c(static_cast<size_t>(size.batch * size.m * size.n), W{0});
    // A transposed left side is not cut into rows.
    const int64_t tile = transpose_a ? std::max<int64_t>(size.m, 1) : kRowTile;
    const int64_t tiles = (size.m + tile - 1) / tile;
    std::mutex mutex;
    const bool small = size.batch * size.m * size.n * size.k < 100000;
    parallel_for(size.batch * tiles, small ? 1 : call.numerics.threads, [&](int64_t task) {
        const int64_t batch = task / tiles;
        const int64_t row = task % tiles * tile;
        const int64_t rows = std::min(tile, size.m - row);
        const Product<W> part{.a = a.data() + batch * size.m * size.k + row * size.k,
                              .transpose_a = transpose_a,
                              .b = b.data() + batch * size.k * size.n,
                              .transpose_b = transpose_b,
                              .c = c.data() + batch * size.m * size.n + row * size.n,
                              .m = rows,
                              .n = size.n,
                              .k = size.k};
        multiply_add(part);
        FloatStatus status;
        check_accumulators(part, status);
        const std::lock_guard guard(mutex);
        call.status.merge(status);
    });
    Shape shape = {size.m, size.n};
    if (call.input(0).ndim() == 3) shape.insert(shape.begin(), size.batch);
    call.outputs = {copy_out(c, output, std::move(shape), call)};
}

void run_product(KernelCall& call, bool transpose_a, bool transpose_b) {
    const DType dtype = call.input(0).dtype();
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

constexpr std::string_view kDTypes =
    "float16, bfloat16 and float32 where the chip's Cube takes them, accumulated in float32; "
    "float64 in float64; result in output_dtype";
constexpr std::string_view kSource =
    "CANN operator of this name, Intrinsic_mmad; the order of the sum inside the Cube is not "
    "public, the BLAS library's here";

constexpr auto kRows = std::to_array<Kernel>({
    {"MatMul", "y[m,n] = sum over k of x1[m,k] x2[k,n]", kDTypes, kSource, run_matmul},
    {"BatchMatMul",
     "y[b,m,n] = sum over k of x1[b,m,k] x2[b,k,n]",
     kDTypes,
     kSource,
     run_batch_matmul},
});

}  // namespace

extern const std::span<const Kernel> k_matmul_kernels;
const std::span<const Kernel> k_matmul_kernels = kRows;

}  // namespace npuscope::backend
