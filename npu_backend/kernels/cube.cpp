#include "npu_backend/kernels/cube.h"

#include <cblas.h>
#include <cmath>
#include <mutex>

#include "core/base/error.h"
#include "npu_backend/kernels/pointwise.h"
#include "npu_backend/numerics/rounding.h"

namespace npuscope::backend {

namespace {

void use_one_blas_thread() {
    static std::once_flag once;
    std::call_once(once, [] { openblas_set_num_threads(1); });
}

template <class W>
std::vector<char> finite_lines(
    const W* matrix, int64_t lines, int64_t length, int64_t line_stride, int64_t stride) {
    std::vector<char> finite(static_cast<size_t>(lines), 1);
    for (int64_t line = 0; line < lines; ++line)
        for (int64_t i = 0; i < length; ++i)
            if (!std::isfinite(matrix[line * line_stride + i * stride])) {
                finite[static_cast<size_t>(line)] = 0;
                break;
            }
    return finite;
}

}  // namespace

template <class W>
void multiply_add(const Product<W>& p) {
    use_one_blas_thread();
    if (p.m == 0 || p.n == 0 || p.k == 0) return;
    const auto flag_a = p.transpose_a ? CblasTrans : CblasNoTrans;
    const auto flag_b = p.transpose_b ? CblasTrans : CblasNoTrans;
    const auto m = static_cast<blasint>(p.m);
    const auto n = static_cast<blasint>(p.n);
    const auto k = static_cast<blasint>(p.k);
    const blasint lda = p.transpose_a ? m : k;
    const blasint ldb = p.transpose_b ? k : n;
    constexpr W kOne = 1;
    if constexpr (std::is_same_v<W, float>) {
        cblas_sgemm(CblasRowMajor, flag_a, flag_b, m, n, k, kOne, p.a, lda, p.b, ldb, kOne, p.c, n);
    } else {
        cblas_dgemm(CblasRowMajor, flag_a, flag_b, m, n, k, kOne, p.a, lda, p.b, ldb, kOne, p.c, n);
    }
}

template <class W>
std::vector<W> cube_operand(const Tensor& tensor, bool hf32, FloatStatus& status) {
    std::vector<W> wide(static_cast<size_t>(tensor.numel()));
    visit_dtype(tensor.dtype(), [&]<class T>() {
        if constexpr (kIsFloat<T>) {
            const auto in = tensor.as<T>();
            for (size_t i = 0; i < in.size(); ++i)
                wide[i] = widen<W>(in[i]);
            if (!all_finite(in)) status.raise(FloatStatus::kCubeInputNonFinite);
        }
    });
    if constexpr (std::is_same_v<W, float>) {
        if (hf32)
            for (float& value : wide) {
                const float rounded = to_hf32(value);
                if (!std::isfinite(rounded) && std::isfinite(value))
                    status.raise(FloatStatus::kCubeOverflow);
                value = rounded;
            }
    }
    return wide;
}

template <class W>
void check_accumulators(const Product<W>& p, FloatStatus& status) {
    if (all_finite(std::span<const W>(p.c, static_cast<size_t>(p.m * p.n)))) return;
    std::vector<char> rows =
        finite_lines(p.a, p.m, p.k, p.transpose_a ? 1 : p.k, p.transpose_a ? p.m : 1);
    const std::vector<char> columns =
        finite_lines(p.b, p.n, p.k, p.transpose_b ? p.k : 1, p.transpose_b ? 1 : p.n);
    for (int64_t i = 0; p.bias != nullptr && i < p.m; ++i)
        if (!std::isfinite(p.bias[i])) rows[static_cast<size_t>(i)] = 0;
    for (int64_t i = 0; i < p.m; ++i)
        for (int64_t j = 0; j < p.n; ++j)
            if (!std::isfinite(p.c[i * p.n + j]) && rows[static_cast<size_t>(i)] != 0 &&
                columns[static_cast<size_t>(j)] != 0) {
                status.raise(FloatStatus::kCubeOverflow);
                return;
            }
}

template <class W>
Tensor copy_out(const std::vector<W>& accumulators, DType dtype, Shape shape, KernelCall& call) {
    if (dtype == kDTypeOf<W>) return Tensor::copy_of(dtype, std::move(shape), accumulators.data());
    Tensor result(dtype, std::move(shape));
    visit_float(call, dtype, [&]<class T>() {
        const auto out = result.mutable_as<T>();
        Rounder<T> round(call.numerics.overflow_mode(), FloatStatus::kCopyOverflow);
        for (size_t i = 0; i < out.size(); ++i) {
            const W value = accumulators[i];
            out[i] = round(static_cast<double>(value), [&] { return std::isfinite(value); });
        }
        call.status.merge(round.status());
    });
    return result;
}

void require_cube_dtype(const KernelCall& call, DType dtype) {
    if (!is_float(dtype)) call.refuse(dtype);
    if (call.numerics.reference() || dtype == DType::kFloat64 || dtype == DType::kFloat16) return;
    const Chip& chip = *call.numerics.device.chip;
    const bool taken =
        dtype == DType::kBFloat16 ? chip.cube_takes_bfloat16 : chip.cube_takes_float32;
    if (!taken)
        throw Error(ErrorKind::kUnsupported,
                    "kernel " + std::string(call.type) + ": the Cube of chip " +
                        std::string(chip.name) + " does not take " + std::string(name_of(dtype)));
}

#define NPUSCOPE_CUBE(W)                                                        \
    template void multiply_add<W>(const Product<W>&);                           \
    template void check_accumulators<W>(const Product<W>&, FloatStatus&);       \
    template std::vector<W> cube_operand<W>(const Tensor&, bool, FloatStatus&); \
    template Tensor copy_out<W>(const std::vector<W>&, DType, Shape, KernelCall&);
NPUSCOPE_CUBE(float)
NPUSCOPE_CUBE(double)
#undef NPUSCOPE_CUBE

}  // namespace npuscope::backend
