#include "npu_backend/kernels/formats.h"

#include <algorithm>
#include <array>

namespace npuscope::backend {

namespace {

enum class Held : uint8_t { kBase, kBlocked, kFilter, kMatrix };

constexpr size_t kMostTensors = 7;

/// One kernel with private formats; what is not named is kept in its base format.
struct FormatRow {
    std::string_view type;
    std::array<Held, kMostTensors> inputs;
    std::array<Held, kMostTensors> outputs;
};

constexpr Held kBase = Held::kBase;
constexpr Held kBlocked = Held::kBlocked;
constexpr Held kFilter = Held::kFilter;
constexpr Held kMatrix = Held::kMatrix;

constexpr auto kRows = std::to_array<FormatRow>({
    {"Conv2D", {kBlocked, kFilter}, {kBlocked}},
    {"Conv2DTranspose", {kBlocked, kFilter}, {kBlocked}},
    {"Conv2DBackpropInput", {kBlocked, kFilter}, {kBlocked}},
    {"Conv2DBackpropFilter", {kBlocked, kBlocked}, {kFilter}},
    {"Conv3D", {kBlocked, kFilter}, {kBlocked}},
    {"Conv3DTranspose", {kBlocked, kFilter}, {kBlocked}},
    {"Conv3DBackpropInput", {kBlocked, kFilter}, {kBlocked}},
    {"Conv3DBackpropFilter", {kBlocked, kBlocked}, {kFilter}},
    {"MaxPoolWithArgmaxV1", {kBlocked}, {kBlocked, kBase}},
    {"MaxPoolGradWithArgmaxV1", {kBlocked, kBlocked, kBase}, {kBlocked}},
    {"BNTrainingReduce", {kBlocked}, {kBlocked, kBlocked}},
    {"BNTrainingUpdate",
     {kBlocked, kBlocked, kBlocked, kBlocked, kBlocked, kBlocked, kBlocked},
     {kBlocked, kBlocked, kBlocked, kBlocked, kBlocked}},
    {"BNInfer", {kBlocked, kBlocked, kBlocked, kBlocked, kBlocked}, {kBlocked}},
    {"MatMul", {kMatrix, kMatrix}, {kMatrix}},
    {"BatchMatMul", {kMatrix, kMatrix}, {kMatrix}},
});

int64_t groups_of(const KernelCall& call) {
    const Value* groups = find(call.attributes, "groups");
    return groups != nullptr && std::holds_alternative<int64_t>(*groups)
               ? std::get<int64_t>(*groups)
               : 1;
}

TensorFormat named(Held held, const Tensor& tensor, bool volume, int64_t groups) {
    switch (held) {
        case Held::kBlocked:
            return {volume ? "NDC1HWC0" : "NC1HWC0"};
        case Held::kFilter:
            return {volume ? "FRACTAL_Z_3D" : "FRACTAL_Z", groups};
        case Held::kMatrix:
            return {"FRACTAL_NZ"};
        default:
            return {base_format(tensor.ndim())};
    }
}

std::string_view attribute_text(const KernelCall& call, std::string_view name) {
    const Value* value = find(call.attributes, name);
    const auto* text = value == nullptr ? nullptr : std::get_if<std::string>(value);
    return text == nullptr ? std::string_view("ND") : std::string_view(*text);
}

/// Batch normalisation of anything but images works on base formats.
bool in_private_formats(const KernelCall& call, const FormatRow& row) {
    if (call.numerics.reference() || call.inputs.empty()) return false;
    if (row.type.starts_with("BN")) return call.inputs[0].ndim() == 4;
    if (row.inputs[0] == Held::kMatrix) return matrices_in_fractal_nz(call.numerics);
    return call.inputs[0].ndim() >= 4;
}

}  // namespace

std::string_view base_format(int64_t ndim) {
    return ndim == 4 ? "NCHW" : ndim == 5 ? "NCDHW" : "ND";
}

bool matrices_in_fractal_nz(const Numerics& numerics) {
    return !numerics.reference() && !numerics.device.chip->cube_takes_float32();
}

KernelFormats formats_of(const KernelCall& call) {
    KernelFormats formats;
    if (call.type == "TransData" && !call.numerics.reference()) {
        const int64_t groups = groups_of(call);
        formats.inputs.assign(call.inputs.size(), {attribute_text(call, "src_format"), groups});
        formats.outputs.assign(call.outputs.size(), {attribute_text(call, "dst_format"), groups});
        return formats;
    }
    const auto row = std::ranges::find(kRows, call.type, &FormatRow::type);
    const bool listed = row != kRows.end() && in_private_formats(call, *row);
    const bool volume = listed && call.inputs[0].ndim() == 5;
    const auto fill = [&](const std::vector<Tensor>& tensors,
                          const std::array<Held, kMostTensors>* held,
                          std::vector<TensorFormat>& into) {
        for (size_t i = 0; i < tensors.size(); ++i)
            into.push_back(named(held != nullptr && i < kMostTensors ? (*held)[i] : Held::kBase,
                                 tensors[i],
                                 volume,
                                 groups_of(call)));
    };
    fill(call.inputs, listed ? &row->inputs : nullptr, formats.inputs);
    fill(call.outputs, listed ? &row->outputs : nullptr, formats.outputs);
    return formats;
}

}  // namespace npuscope::backend
