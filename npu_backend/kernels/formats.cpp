#include "npu_backend/kernels/formats.h"

namespace npuscope::backend {

namespace {

int64_t groups_of(const KernelCall& call) {
    const Value* groups = find(call.attributes, "groups");
    return groups != nullptr && std::holds_alternative<int64_t>(*groups)
               ? std::get<int64_t>(*groups)
               : 1;
}

std::string_view attribute_text(const KernelCall& call, std::string_view name) {
    const Value* value = find(call.attributes, name);
    const auto* text = value == nullptr ? nullptr : std::get_if<std::string>(value);
    return text == nullptr ? std::string_view("ND") : std::string_view(*text);
}

bool in_private_formats(const KernelCall& call, Held first) {
    if (call.numerics.reference() || call.inputs.empty()) return false;
    switch (first) {
        case Held::kBase:
            return false;
        case Held::kImage:
            return call.inputs[0].ndim() == 4;
        case Held::kMatrix:
            return call.numerics.matrices_in_fractal_nz();
        case Held::kNamed:
            return true;
        default:
            return call.inputs[0].ndim() >= 4;
    }
}

}  // namespace

std::string_view base_format(int64_t ndim) {
    return ndim == 4 ? "NCHW" : ndim == 5 ? "NCDHW" : "ND";
}

KernelFormats formats_of(const Kernel& kernel, const KernelCall& call) {
    const bool listed = in_private_formats(call, kernel.formats.inputs[0]);
    const bool volume = listed && call.inputs[0].ndim() == 5;
    const auto format = [&](Held held, const Tensor& tensor, std::string_view attribute) {
        switch (held) {
            case Held::kBlocked:
            case Held::kImage:
                return TensorFormat{volume ? "NDC1HWC0" : "NC1HWC0"};
            case Held::kFilter:
                return TensorFormat{volume ? "FRACTAL_Z_3D" : "FRACTAL_Z", groups_of(call)};
            case Held::kMatrix:
                return TensorFormat{"FRACTAL_NZ"};
            case Held::kNamed:
                return TensorFormat{attribute_text(call, attribute), groups_of(call)};
            default:
                return TensorFormat{base_format(tensor.ndim())};
        }
    };
    const auto fill = [&](const std::vector<Tensor>& tensors, const auto& held, auto attribute) {
        std::vector<TensorFormat> formats;
        for (size_t i = 0; i < tensors.size(); ++i)
            formats.push_back(
                format(listed && i < held.size() ? held[i] : Held::kBase, tensors[i], attribute));
        return formats;
    };
    return {fill(call.inputs, kernel.formats.inputs, "src_format"),
            fill(call.outputs, kernel.formats.outputs, "dst_format")};
}

}  // namespace npuscope::backend
