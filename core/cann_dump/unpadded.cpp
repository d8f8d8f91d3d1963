#include "core/cann_dump/unpadded.h"

#include "core/base/error.h"

namespace npuscope::cann_dump {

namespace {

using layout::Format;

constexpr size_t kFourDims = 4;

RealArray flat_or_stored(const DumpedTensor& tensor) {
    if (numel_of(tensor.shape) != tensor.data.values.numel()) return tensor.data;
    return tensor.data.reshaped(tensor.shape);
}

/// Nothing: the stored format is as good, or cannot be left.
std::optional<RealArray> in_plain_format(const DumpedTensor& tensor) {
    const auto known = layout::format_from_code(tensor.format);
    const size_t rank = tensor.original_shape.size();
    if (!known || rank == 1 || rank > kFourDims || rank == 0) return std::nullopt;
    const Format to = rank == kFourDims ? Format::kNCHW : Format::kND;
    const layout::FormatRequest request{.from = layout::real_format(*known, tensor.shape),
                                        .to = to,
                                        .shape = tensor.shape,
                                        .target = tensor.original_shape,
                                        .groups = tensor.groups};
    if (request.from == to) return std::nullopt;
    try {
        if (request.from == Format::kFRACTAL_NZ &&
            !layout::fits_nz(request.target, layout::nz_room(request.shape)))
            return std::nullopt;
        return converted(layout::plan_format(request), tensor.data);
    } catch (const Error&) {
        return std::nullopt;
    }
}

}  // namespace

RealArray unpadded(const DumpedTensor& tensor) {
    const auto plain = in_plain_format(tensor);
    if (!plain) return flat_or_stored(tensor);
    return cut_to(*plain, tensor.original_shape).value_or(*plain);
}

RealArray converted(const layout::FormatPlan& plan, const RealArray& data) {
    if (plan.conversion.source().numel() != data.values.numel())
        throw Error(ErrorKind::kFormat,
                    "the dump has " + std::to_string(data.values.numel()) + " elements, not the " +
                        std::to_string(plan.conversion.source().numel()) + " of its format");
    Tensor result = Tensor::zeros(data.values.dtype(), plan.shape);
    if (result.numel() > 0)
        plan.conversion.run(size_of(result.dtype()), data.values.data(), result.mutable_data());
    return {std::move(result), data.dtype};
}

std::optional<RealArray> cut_to(const RealArray& data, const Shape& wanted) {
    const layout::Slice slice = layout::plan_slice(data.shape(), wanted);
    if (slice.fails) return std::nullopt;
    if (!slice.shape) return data;
    Shape whole = data.shape();
    whole.resize(slice.shape->size(), 1);
    const layout::FormatPlan cut{
        .conversion = layout::Conversion(layout::stored_layout(Format::kND, whole),
                                         layout::stored_layout(Format::kND, *slice.shape)),
        .shape = *slice.shape};
    return converted(cut, data);
}

}  // namespace npuscope::cann_dump
