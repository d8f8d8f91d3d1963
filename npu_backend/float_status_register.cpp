#include "npu_backend/float_status_register.h"

#include <algorithm>

#include "core/base/error.h"

namespace npuscope {

namespace {

void require_buffer(const Tensor& buffer) {
    if (buffer.dtype() != DType::kFloat32 || buffer.numel() != 8)
        throw Error(ErrorKind::kUsage,
                    "a float status buffer has 8 float32, not " +
                        std::string(name_of(buffer.dtype())) + to_string(buffer.shape()) +
                        "; make it with alloc()");
}

}  // namespace

Tensor FloatStatusRegister::alloc() {
    return Tensor::zeros(DType::kFloat32, {8});
}

Tensor FloatStatusRegister::get_v1(Tensor& buffer) const {
    require_buffer(buffer);
    if (set()) {
        const auto words = buffer.mutable_as<float>();
        std::fill(words.begin(), words.end(), 1.0f);
    }
    return alloc();
}

Tensor FloatStatusRegister::clear_v1(const Tensor& buffer) {
    require_buffer(buffer);
    status() = {};
    return alloc();
}

Tensor FloatStatusRegister::get_v2() const {
    Tensor words = Tensor::zeros(DType::kInt32, {8});
    words.mutable_as<int32_t>()[0] = set() ? static_cast<int32_t>(status().bits) : 0;
    return words;
}

}  // namespace npuscope
