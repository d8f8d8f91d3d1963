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
void multiply_add(const W* a,
                  bool transpose_a,
                  const W* b,
                  bool transpose_b,
                  W* c,
                  int64_t m,
                  int64_t n,
                  int64_t k) {
    use_one_blas_thread();
    if (m == 0 || n == 0 || k == 0) return;
    const auto flag_a = transpose_a ? CblasTrans : CblasNoTrans;
    const auto flag_b = transpose_b ? CblasTrans : CblasNoTrans;
    const auto rows = static_cast<blasint>(m);
    const auto columns = static_cast<blasint>(n);
    const auto depth = static_cast<blasint>(k);
    const blasint lda = transpose_a ? rows : depth;
    const blasint ldb = transpose_b ? depth : columns;
    if constexpr (std::is_same_v<W, float>) {
        cblas_sgemm(CblasRowMajor,
                    flag_a,
                    flag_b,
                    rows,
                    columns,
                    depth,
                    1.0f,
                    a,
                    lda,
                    b,
                    ldb,
                    1.0f,
                    c,
                    columns);
    } else {
        cblas_dgemm(CblasRowMajor,
                    flag_a,
                    flag_b,
                    rows,
                    columns,
                    depth,
                    1.0,
                    a,
                    lda,
                    b,
                    ldb,
                    1.0,
                    c,
                    columns);
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
void check_accumulators(const W* a,
                        bool transpose_a,
                        const W* b,
                        bool transpose_b,
                        const W* c,
                        int64_t m,
                        int64_t n,
                        int64_t k,
                        FloatStatus& status) {
    if (all_finite(std::span<const W>(c, static_cast<size_t>(m * n)))) return;
    const std::vector<char> rows = finite_lines(a, m, k, transpose_a ? 1 : k, transpose_a ? m : 1);
    const std::vector<char> columns =
        finite_lines(b, n, k, transpose_b ? k : 1, transpose_b ? 1 : n);
    for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j)
            if (!std::isfinite(c[i * n + j]) && rows[static_cast<size_t>(i)] != 0 &&
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

#define NPUSCOPE_CUBE(W)                                                                          \
    template void multiply_add<W>(const W*, bool, const W*, bool, W*, int64_t, int64_t, int64_t); \
    template std::vector<W> cube_operand<W>(const Tensor&, bool, FloatStatus&);                   \
    template void check_accumulators<W>(                                                          \
        const W*, bool, const W*, bool, const W*, int64_t, int64_t, int64_t, FloatStatus&);       \
    template Tensor copy_out<W>(const std::vector<W>&, DType, Shape, KernelCall&);
NPUSCOPE_CUBE(float)
NPUSCOPE_CUBE(double)
#undef NPUSCOPE_CUBE

}  // namespace npuscope::backend
