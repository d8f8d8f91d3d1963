// Matrix products on the Cube.
#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>

#include "core/base/error.h"
#include "core/parallel/parallel_for.h"
#include "npu_backend/kernels/cube.h"
#include "npu_backend/numerics/rounding.h"

namespace npuscope::backend {

namespace {

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

/// Both sides as lines of k.
template <class W>
CubeProduct<W> one_product(const CubeOperand<W>& a,
                           const CubeOperand<W>& b,
                           W* c,
                           const Sizes& size,
                           bool transpose_a,
                           bool transpose_b,
                           int64_t batch) {
    const Lines<W> left{
        a.data() + batch * size.m * size.k, transpose_a ? 1 : size.k, transpose_a ? size.m : 1};
    const Lines<W> right{
        b.data() + batch * size.k * size.n, transpose_b ? size.k : 1, transpose_b ? 1 : size.n};
    return {.chains = {c + batch * size.m * size.n, size.n, size.m, size.n, size.k},
            .left = left,
            .right = stored(right, size.k),
            .left_range = a.range,
            .right_range = b.range,
            .model = {}};
}

template <class W>
void product(KernelCall& call, bool transpose_a, bool transpose_b, DType output) {
    const Sizes size = sizes_of(call, transpose_a, transpose_b);
    const bool hf32 = !call.numerics.reference() && call.numerics.device.options.matmul_hf32 &&
                      call.input(0).dtype() == DType::kFloat32;
    const CubeOperand<W> a = cube_operand<W>(call, call.input(0), hf32);
    const CubeOperand<W> b = cube_operand<W>(call, call.input(1), hf32);
    Shape shape = {size.m, size.n};
    if (call.input(0).ndim() == 3) shape.insert(shape.begin(), size.batch);
    Tensor sums = accumulators<W>(std::move(shape));
    W* c = sums.mutable_as<W>().data();
    const CubeModel model = cube_model(call.numerics, call.input(0).dtype());
    const bool small = size.batch * size.m * size.n * size.k < 100000;
    // One large product is spread inside, many are spread over the batch.
    const int inside = small || size.batch > 1 ? 1 : call.numerics.threads;
    std::mutex mutex;
    parallel_for(size.batch, small ? 1 : call.numerics.threads, [&](int64_t batch) {
        CubeProduct<W> part = one_product(a, b, c, size, transpose_a, transpose_b, batch);
        part.model = model;
        multiply_add<W>(part, nullptr, inside);
        FloatStatus status;
        check_accumulators<W>(part, nullptr, status);
        const std::lock_guard guard(mutex);
        call.status.merge(status);
    });
    call.outputs = {copy_out<W>(std::move(sums), output, call)};
}

/// int8 and uint8 give exact int32 sums; beyond int32 they clamp in saturation mode and wrap else.
void integer_product(KernelCall& call, bool transpose_a, bool transpose_b) {
    const DType left = call.input(0).dtype();
    const DType right = call.input(1).dtype();
    const uint32_t needed =
        left == DType::kUInt8 || right == DType::kUInt8 ? kCubeUint8 : kCubeInt8;
    if (!call.numerics.reference() && !call.numerics.device.chip->cube_takes(needed))
        throw Error(ErrorKind::kUnsupported,
                    "kernel " + std::string(call.type) + ": the Cube of chip " +
                        std::string(call.numerics.device.chip->name) + " does not take " +
                        std::string(name_of(left)) + " with " + std::string(name_of(right)));
    const Sizes size = sizes_of(call, transpose_a, transpose_b);
    const Tensor wide_a = call.input(0).cast(DType::kInt32);
    const Tensor wide_b = call.input(1).cast(DType::kInt32);
    const auto a = wide_a.as<int32_t>();
    const auto b = wide_b.as<int32_t>();
    Shape shape = {size.m, size.n};
    if (call.input(0).ndim() == 3) shape.insert(shape.begin(), size.batch);
    Tensor y(DType::kInt32, std::move(shape));
    const auto c = y.mutable_as<int32_t>();
    for (int64_t batch = 0; batch < size.batch; ++batch)
        for (int64_t i = 0; i < size.m; ++i)
            for (int64_t j = 0; j < size.n; ++j) {
                int64_t sum = 0;
                for (int64_t k = 0; k < size.k; ++k)
                    sum += int64_t{a[static_cast<size_t>(
                               batch * size.m * size.k +
                               (transpose_a ? k * size.m + i : i * size.k + k))]} *
                           b[static_cast<size_t>(batch * size.k * size.n +
                                                 (transpose_b ? j * size.k + k : k * size.n + j))];
                const int64_t clamped = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
                if (clamped != sum) call.status.raise(FloatStatus::kCubeOverflow);
                const bool clamps = call.numerics.overflow_mode() == OverflowMode::kSaturate;
                c[static_cast<size_t>((batch * size.m + i) * size.n + j)] =
                    static_cast<int32_t>(clamps ? clamped : sum);
            }
    call.outputs = {std::move(y)};
}

void run_product(KernelCall& call, bool transpose_a, bool transpose_b) {
    const DType dtype = call.input(0).dtype();
    const auto is_byte = [](DType type) { return type == DType::kInt8 || type == DType::kUInt8; };
    if (is_byte(dtype) && is_byte(call.input(1).dtype())) {
        integer_product(call, transpose_a, transpose_b);
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

constexpr std::string_view kDTypes =
    "float16, bfloat16 and float32 where the chip's Cube takes them, accumulated in float32; "
    "float64 in float64; result in output_dtype; int8 and uint8 exactly to int32";
constexpr std::string_view kSource =
    "CANN operator of this name, Intrinsic_mmad; the order of the sum inside the Cube is not "
    "public, option cube_acc here";

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
