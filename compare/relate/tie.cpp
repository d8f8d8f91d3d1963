#include "compare/relate/tie.h"

#include <algorithm>

#include "core/base/error.h"

namespace npuscope::compare {

namespace {

SourceTensor load(const TensorPlace& place) {
    std::vector<SourceTensor> tensors = place.op->load();
    if (place.number >= tensors.size())
        throw Error(ErrorKind::kIo, place.path + " is not there any more");
    return std::move(tensors[place.number]);
}

Tensor in_float64(const SourceTensor& tensor) {
    if (!tensor.open) throw Error(ErrorKind::kIo, tensor.path + ": no elements were recorded");
    return tensor.open()->whole().cast(DType::kFloat64);
}

/// a + b * scale, in a's shape. Errors: Error(kFormat) where the numels differ.
Tensor combined(const Tensor& a, const Tensor& b, double scale) {
    if (a.numel() != b.numel())
        throw Error(
            ErrorKind::kFormat,
            "a sum of " + to_string(a.shape()) + " and " + to_string(b.shape()) + " is none");
    Tensor sum(DType::kFloat64, a.shape());
    const auto to = sum.mutable_as<double>();
    const auto one = a.as<double>();
    const auto other = b.as<double>();
    for (size_t i = 0; i < to.size(); ++i)
        to[i] = one[i] + other[i] * scale;
    return sum;
}

Tensor scaled(const Tensor& tensor, double scale) {
    Tensor result(DType::kFloat64, tensor.shape());
    const auto to = result.mutable_as<double>();
    const auto from = tensor.as<double>();
    std::ranges::transform(from, to.begin(), [scale](double each) { return each * scale; });
    return result;
}

/// The tensor through a view, plus others, times a number; as it is without any of them.
void arrange(const std::optional<View>& view,
             const std::vector<TensorPlace>& more,
             double scale,
             SourceTensor& tensor) {
    if (!view && more.empty() && scale == 1) return;
    SourceTensor plain = tensor;
    tensor.storage.reset();
    tensor.hash.clear();
    if (view) tensor.shape = view->shape;
    if (!plain.open) return;
    tensor.open = [plain = std::move(plain), view, more, scale] {
        Tensor made = plain.open()->whole();
        const DType dtype = made.dtype();
        if (!more.empty() || scale != 1) {
            made = made.cast(DType::kFloat64);
            for (const TensorPlace& each : more)
                made = combined(made, in_float64(load(each)).reshaped(made.shape()), 1);
            if (scale != 1) made = scaled(made, scale);
            made = made.cast(dtype);
        }
        if (view) made = apply(*view, made);
        return std::make_unique<TensorElements>(std::move(made));
    };
}

/// The same elements in another shape of as many.
void take_shape(const Shape& shape, SourceTensor& tensor) {
    if (tensor.shape == shape || numel_of(tensor.shape) != numel_of(shape)) return;
    SourceTensor plain = tensor;
    tensor.shape = shape;
    if (!plain.open) return;
    tensor.open = [plain = std::move(plain), shape] {
        return std::make_unique<TensorElements>(plain.open()->whole().reshaped(shape));
    };
}

}  // namespace

std::string TensorTie::words() const {
    std::string words = kind == RelationKind::kEqual ? "" : std::string(name_of(kind));
    if (!text.empty()) words += ": " + text;
    if (by_place) words += words.empty() ? "by place" : ", by place";
    return words;
}

TiedTensors tensors_of(const TensorTie& tie) {
    TiedTensors tensors{.target = load(tie.target), .golden = load(tie.golden)};
    arrange(tie.target_view, tie.more_target, 1, tensors.target);
    arrange(tie.golden_view, tie.more_golden, tie.scale, tensors.golden);
    // Sums are found by their elements in order, whatever the shapes.
    if (!tie.more_target.empty() || !tie.more_golden.empty())
        take_shape(tensors.target.shape, tensors.golden);
    return tensors;
}

}  // namespace npuscope::compare
