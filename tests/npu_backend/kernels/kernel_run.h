// Launches one kernel by itself.
#pragma once

#include <initializer_list>
#include <limits>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "npu_backend/kernels/kernel.h"

namespace npuscope::backend::test {

inline constexpr float kInf = std::numeric_limits<float>::infinity();

struct KernelRun {
    std::vector<Tensor> outputs;
    FloatStatus status;

    [[nodiscard]] double at(int64_t index) const { return outputs.at(0).at(index); }
    /// Bit pattern of a float16 element.
    [[nodiscard]] uint16_t half(size_t index = 0) const {
        return outputs.at(0).as<Float16>()[index].bits;
    }
};

inline KernelRun run_kernel(std::string_view type,
                            std::vector<Tensor> inputs,
                            NamedValues attributes = {},
                            Device device = Device::npu(chip("910A")),
                            int threads = 1) {
    const Numerics numerics{device, threads};
    const Kernel* row = find_kernel(type);
    if (row == nullptr) throw Error(ErrorKind::kInternal, "no kernel " + std::string(type));
    KernelCall call{row->type, std::move(inputs), std::move(attributes), numerics};
    row->run(call);
    return {std::move(call.outputs), call.status};
}

inline Tensor floats(Shape shape, std::vector<float> values) {
    return Tensor::from<float>(std::move(shape), std::span<const float>(values));
}

inline Tensor halves(Shape shape, std::vector<float> values) {
    return floats(std::move(shape), std::move(values)).cast(DType::kFloat16);
}

inline Tensor half_bits(std::vector<uint16_t> bits) {
    return Tensor::copy_of(DType::kFloat16, {static_cast<int64_t>(bits.size())}, bits.data());
}

inline Device a() {
    return Device::npu(chip("910A"));
}
inline Device b() {
    return Device::npu(chip("910B"));
}

}  // namespace npuscope::backend::test
