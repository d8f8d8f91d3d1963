#include "npu_backend/kernels/linear/cube.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/parallel/parallel_for.h"
#include "npu_backend/kernels/pointwise/pointwise.h"
#include "npu_backend/numerics/gemm_blocks.h"
#include "npu_backend/numerics/gemm_kernels.h"
#include "npu_backend/numerics/rounding.h"
#include "npu_backend/numerics/wide_blocks.h"

namespace npuscope::backend {

namespace {

constexpr int kBitsInBlocks = 40;
constexpr OperandRange kHalfRange = {.bits = 11, .lowest = -24, .highest = 15};

/// Models other than the fast ones: chain by chain.
void multiply_by_chains(const CubeProduct<float>& p, int threads) {
    const auto& [c, ldc, m, n, k] = p.chains;
    parallel_for(
        n, m * k * n < 20000 ? 1 : threads, [&, c = c, ldc = ldc, m = m, k = k](int64_t j) {
            std::vector<float> column(static_cast<size_t>(k));
            p.right(j, 1, 1, column.data());
            for (int64_t i = 0; i < m; ++i) {
                float& sum = c[i * ldc + j];
                sum = chain(p.model,
                            {p.left.data + i * p.left.line_stride, p.left.k_stride},
                            {column.data()},
                            k,
                            sum);
            }
        });
}

template <class W>
std::vector<char> finite_rows(const Lines<W>& lines, int64_t count, int64_t k) {
    std::vector<char> finite(static_cast<size_t>(count), 1);
    for (int64_t line = 0; line < count; ++line)
        for (int64_t i = 0; i < k; ++i)
            if (!std::isfinite(lines.data[line * lines.line_stride + i * lines.k_stride])) {
                finite[static_cast<size_t>(line)] = 0;
                break;
            }
    return finite;
}

/// Widens a run of elements; false when one is inf or nan.
template <class T, class W>
bool widen_tile(const T* in, W* out, int64_t count) {
    bool finite = true;
    if constexpr (std::is_same_v<T, Float16> && std::is_same_v<W, float>) {
        finite = widen_halves(&in->bits, out, count);
        // inf and nan need more than a moved exponent.
        for (int64_t i = 0; !finite && i < count; ++i)
            out[i] = to_float(in[i]);
    } else {
        for (int64_t i = 0; i < count; ++i) {
            out[i] = npuscope::backend::widen<W>(in[i]);
            finite &= is_finite(in[i]);
        }
    }
    return finite;
}

void round_to_hf32(const KernelCall& call, std::span<float> values, FloatStatus& status) {
    const ChipOptions& options = call.numerics.device.options;
    for (float& value : values) {
        const float rounded = to_hf32(value, 23 - options.hf32_mantissa, options.hf32_tie);
        if (!std::isfinite(rounded) && std::isfinite(value))
            status.raise(FloatStatus::kCubeOverflow);
        value = rounded;
    }
}

/// Accumulators rounded to T.
template <class W, class T>
FloatStatus round_out(const KernelCall& call, std::span<const W> in, T* out) {
    Rounder<T> round(
        call.numerics.overflow_mode(), FloatStatus::kCopyOverflow, FloatStatus::kCopyUnderflow);
    for (const W value : in)
        *out++ = round(static_cast<double>(value), [&] { return std::isfinite(value); });
    return round.status();
}

}  // namespace

CubeModel cube_model(const Numerics& numerics, DType input) {
    CubeModel model;
    if (numerics.reference() || input == DType::kFloat64 || !is_float(input)) return model;
    const ChipOptions& options = numerics.device.options;
    model.accumulation = options.cube_acc;
    model.block = options.cube_k_block != 0  ? options.cube_k_block
                  : input == DType::kFloat32 ? 8
                                             : 16;
    model.split = options.cube_split_k;
    model.split_order = options.cube_split_order;
    model.half_accumulator = options.cube_c_half && input == DType::kFloat16;
    model.saturates = saturates<Float16>(numerics.overflow_mode());
    return model;
}

template <class W>
CubeOperand<W> cube_operand(KernelCall& call, const Tensor& tensor, bool hf32) {
    if (tensor.dtype() == kDTypeOf<W> && !hf32) {
        const OperandRange range = range_of(tensor.as<W>(), call.numerics.threads);
        if (!range.finite) call.status.raise(FloatStatus::kCubeInputNonFinite);
        return {tensor, Buffer<W>(), range};
    }
    CubeOperand<W> operand{tensor, Buffer<W>(static_cast<size_t>(tensor.numel())), {}};
    W* out = operand.widened.data();
    visit_dtype(tensor.dtype(), [&]<class T>() {
        const auto in = tensor.as<T>();
        if constexpr (kIsFloat<T>)
            for_tiles(tensor.numel(), call, [&](int64_t begin, int64_t end) {
                const bool finite = widen_tile(in.data() + begin, out + begin, end - begin);
                FloatStatus status;
                if (!finite) status.raise(FloatStatus::kCubeInputNonFinite);
                if constexpr (std::is_same_v<W, float>)
                    if (hf32) round_to_hf32(call, {out + begin, out + end}, status);
                return status;
            });
        else if constexpr (std::is_same_v<W, double>)
            std::copy(in.begin(), in.end(), out);
        else
            call.refuse(tensor.dtype());
    });
    operand.range = tensor.dtype() == DType::kFloat16 && !call.status.input_non_finite()
                        ? kHalfRange
                        : range_of(std::as_const(operand.widened).span(), call.numerics.threads);
    return operand;
}

template <class W>
void multiply_add(const CubeProduct<W>& p, const PackedLeft<W>* packed, int threads) {
    if constexpr (std::is_same_v<W, float>) {
        if (!p.model.plain()) {
            const bool blocks = p.model.accumulation == CubeAccumulation::kBlockExact &&
                                p.model.split == 1 && !p.model.half_accumulator;
            // Products of two whole float32 leave float64 no room to add them exactly.
            const bool wide = p.left_range.bits + p.right_range.bits > kBitsInBlocks &&
                              p.left_range.finite && p.right_range.finite;
            if (blocks && wide)
                gemm_wide_blocks(p.chains, p.model, p.left, p.right, threads);
            else if (blocks)
                gemm_blocks(p.chains, p.model, p.left, p.right, threads);
            else
                multiply_by_chains(p, threads);
            return;
        }
    }
    const bool exact = products_are_exact<W>(p.left_range, p.right_range);
    if (packed != nullptr) {
        gemm(p.chains, *packed, p.right, exact, threads);
    } else {
        const PackedLeft<W> left(p.left, p.chains.m, p.chains.k, threads);
        gemm(p.chains, left, p.right, exact, threads);
    }
}

template <class W>
void check_accumulators(const CubeProduct<W>& p, const W* first, FloatStatus& status) {
    const auto& [c, ldc, m, n, k] = p.chains;
    bool finite = true;
    for (int64_t i = 0; finite && i < m; ++i) {
        if constexpr (std::is_same_v<W, float>)
            finite = finite_floats(c + i * ldc, n);
        else
            finite = all_finite(std::span<const W>(c + i * ldc, static_cast<size_t>(n)));
    }
    if (finite) return;
    const std::vector<char> rows = finite_rows(p.left, m, k);
    std::vector<W> column(static_cast<size_t>(k));
    for (int64_t j = 0; j < n; ++j) {
        bool known = false;
        bool column_finite = false;
        for (int64_t i = 0; i < m; ++i) {
            if (std::isfinite(c[i * ldc + j]) || rows[static_cast<size_t>(i)] == 0 ||
                (first != nullptr && !std::isfinite(first[i])))
                continue;
            if (!known) {
                p.right(j, 1, 1, column.data());
                column_finite = all_finite(std::span<const W>(column));
                known = true;
            }
            if (column_finite) {
                status.raise(FloatStatus::kCubeOverflow);
                return;
            }
        }
    }
}

template <class W>
Tensor accumulators(const Shape& shape) {
    return Tensor::zeros(kDTypeOf<W>, shape);
}

template <class W>
Tensor copy_out(Tensor sums, DType dtype, KernelCall& call) {
    if (dtype == kDTypeOf<W>) {
        if (saturates<W>(call.numerics.overflow_mode()))
            for (W& value : sums.mutable_as<W>())
                if (!is_finite(value)) value = saturated(value);
        return sums;
    }
    Tensor result(dtype, sums.shape());
    const auto in = sums.as<W>();
    visit_float(call, dtype, [&]<class T>() {
        const auto out = result.mutable_as<T>();
        for_tiles(result.numel(), call, [&](int64_t begin, int64_t end) {
            return round_out<W>(
                call, {in.data() + begin, static_cast<size_t>(end - begin)}, out.data() + begin);
        });
    });
    return result;
}

void require_cube_dtype(const KernelCall& call, DType dtype) {
    if (!is_float(dtype)) call.refuse(dtype);
    if (call.numerics.reference() || dtype == DType::kFloat64 || dtype == DType::kFloat16) return;
    const Chip& chip = *call.numerics.device.chip;
    const bool kept = call.numerics.device.options.fp32_on_910a == Float32OnHalfCube::kKeep;
    const bool taken =
        dtype == DType::kBFloat16 ? chip.cube_takes_bfloat16() : chip.cube_takes_float32() || kept;
    if (!taken)
        throw Error(ErrorKind::kUnsupported,
                    "kernel " + std::string(call.type) + ": the Cube of chip " +
                        std::string(chip.name) + " does not take " + std::string(name_of(dtype)));
}

bool takes_integers(const KernelCall& call) {
    const auto is_byte = [](DType type) { return type == DType::kInt8 || type == DType::kUInt8; };
    const DType left = call.input(0).dtype();
    const DType right = call.input(1).dtype();
    if (!is_byte(left) || !is_byte(right)) return false;
    const bool has_sign = left == DType::kInt8 && right == DType::kInt8;
    const bool narrow = call.has_attribute("operand_bits") && call.integer("operand_bits") == 4;
    if (narrow && !has_sign) call.refuse(left == DType::kInt8 ? right : left);
    const uint32_t needed = narrow ? kCubeInt4 : has_sign ? kCubeInt8 : kCubeUint8;
    if (!call.numerics.reference() && !call.numerics.device.chip->cube_takes(needed)) {
        const std::string names =
            narrow ? "int4" : std::string(name_of(left)) + " with " + std::string(name_of(right));
        throw Error(ErrorKind::kUnsupported,
                    "kernel " + std::string(call.type) + ": the Cube of chip " +
                        std::string(call.numerics.device.chip->name) + " does not take " + names);
    }
    for (size_t i = 0; narrow && i < 2; ++i)
        for (const int8_t value : call.input(i).as<int8_t>())
            if (value < -8 || value > 7)
                call.reject("" + std::to_string(value) + " is no int4, which has -8 to 7");
    return true;
}

Tensor copy_out_integers(const Tensor& sums, KernelCall& call) {
    Tensor result(DType::kInt32, sums.shape());
    const auto in = sums.as<double>();
    const auto out = result.mutable_as<int32_t>();
    const bool clamps = call.numerics.overflow_mode() != OverflowMode::kInfNan;
    for (size_t i = 0; i < in.size(); ++i) {
        const auto sum = static_cast<int64_t>(in[i]);
        const int64_t clamped = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
        if (clamped != sum) call.status.raise(FloatStatus::kCubeOverflow);
        out[i] = static_cast<int32_t>(clamps ? clamped : sum);
    }
    return result;
}

#define NPUSCOPE_CUBE(W)                                                                \
    template void multiply_add<W>(const CubeProduct<W>&, const PackedLeft<W>*, int);    \
    template void check_accumulators<W>(const CubeProduct<W>&, const W*, FloatStatus&); \
    template CubeOperand<W> cube_operand<W>(KernelCall&, const Tensor&, bool);          \
    template Tensor accumulators<W>(const Shape&);                                      \
    template Tensor copy_out<W>(Tensor, DType, KernelCall&);
NPUSCOPE_CUBE(float)
NPUSCOPE_CUBE(double)
#undef NPUSCOPE_CUBE

}  // namespace npuscope::backend
