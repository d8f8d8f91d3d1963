// Fused ops of torch_npu, as programs over the ops that they stand for.
// Source: torch_npu's API reference, "Ascend Extension for PyTorch: custom API".
#include <algorithm>
#include <numeric>

#include "diagnose/judge/composed_op.h"
#include "diagnose/judge/fused_steps.h"
#include "diagnose/judge/number_format.h"

namespace npuscope::diagnose {

namespace {

/// Of a masked score before the softmax.
constexpr double kMasked = -10000;
/// Of fast_gelu, x sigmoid(1.702 x).
constexpr double kFastGelu = 1.702;

Tensor negative(Lowering& op, const Tensor& tensor) {
    return op.step("neg", {{"self", tensor}});
}

Tensor mean_along(Lowering& op, const Tensor& tensor, const IntList& dims) {
    return op.step("mean_dim", {{"self", tensor}, {"dim", dims}, {"keepdim", true}});
}

Tensor sum_along(Lowering& op, const Tensor& tensor, const IntList& dims) {
    if (dims.empty()) return tensor;
    return op.step("sum_dim_IntList", {{"self", tensor}, {"dim", dims}, {"keepdim", true}});
}

/// Of statistics and sums, which are kept in float32 at least.
DType kept(Lowering& op, std::string_view name) {
    return is_of_16_bits(op.declared(name)) ? DType::kFloat32 : op.declared(name);
}

/// Adds what `shape` was repeated along to the tensor's shape.
Tensor sum_to(Lowering& op, const Tensor& tensor, const Shape& shape) {
    const size_t missing = tensor.shape().size() - shape.size();
    IntList dims;
    for (size_t i = 0; i < tensor.shape().size(); ++i)
        if (i < missing || (shape[i - missing] == 1 && tensor.shape()[i] != 1))
            dims.push_back(static_cast<int64_t>(i));
    return sum_along(op, tensor, dims).reshaped(shape);
}

struct Halves {
    Tensor first;
    Tensor second;
};

int64_t from_front(int64_t dim, const Tensor& tensor) {
    return dim < 0 ? dim + tensor.ndim() : dim;
}

Halves halves_of(Lowering& op, const Tensor& tensor, int64_t dim) {
    dim = from_front(dim, tensor);
    if (dim < 0 || dim >= tensor.ndim() || tensor.dim(dim) % 2 != 0)
        op.reject("axis " + std::to_string(dim) + " of " + to_string(tensor.shape()) +
                  " has no halves");
    const int64_t half = tensor.dim(dim) / 2;
    const auto part = [&](int64_t start) {
        return op.step("slice_Tensor",
                       {{"self", tensor},
                        {"dim", dim},
                        {"start", start},
                        {"end", start + half},
                        {"step", int64_t{1}}});
    };
    return {part(0), part(half)};
}

Tensor joined(Lowering& op, const Tensor& first, const Tensor& second, int64_t dim) {
    return op.step("cat",
                   {{"tensors", TensorList{first, second}}, {"dim", from_front(dim, first)}});
}

/// The axes of a tensor from `first` on.
IntList axes(int64_t first, int64_t end) {
    IntList dims(static_cast<size_t>(end - first));
    std::iota(dims.begin(), dims.end(), first);
    return dims;
}

// -- RMS norm ------------------------------------------------------------------------------------

/// y and 1 / rms of x by `gamma`'s axes, which are the last ones.
Halves rms_norm(Lowering& op, const Tensor& x) {
    const Tensor gamma = op.tensor("gamma");
    const Tensor mean = mean_along(op, product(op, x, x), axes(x.ndim() - gamma.ndim(), x.ndim()));
    const Tensor moved =
        op.step("add_Scalar",
                {{"self", mean}, {"other", Scalar{op.number("epsilon")}}, {"alpha", Scalar{1.0}}});
    const Tensor rstd = op.step("rsqrt", {{"self", moved}});
    return {product(op, product(op, x, rstd), gamma), rstd};
}

}  // namespace

void lower_npu_rms_norm(Lowering& op) {
    const Halves made = rms_norm(op, op.tensor("self"));
    op.result(made.first, op.declared("self"));
    op.result(made.second, kept(op, "self"));
}

void lower_npu_add_rms_norm(Lowering& op) {
    const Tensor x = sum(op, op.tensor("x1"), op.tensor("x2"));
    const Halves made = rms_norm(op, x);
    op.result(made.first, op.declared("x1"));
    op.result(made.second, kept(op, "x1"));
    op.result(x, op.declared("x1"));
}

void lower_npu_add_layer_norm(Lowering& op) {
    const Tensor x = sum(op, op.tensor("x1"), op.tensor("x2"));
    const std::vector<Tensor> made = op.computed("native_layer_norm",
                                                 {{"input", x},
                                                  {"normalized_shape", op.raw("gamma").shape()},
                                                  {"weight", op.tensor("gamma")},
                                                  {"bias", op.tensor("beta")},
                                                  {"eps", op.number("epsilon")}});
    op.result(made.at(0), op.declared("x1"));
    for (size_t statistic : {1, 2})
        op.result(made.at(statistic), kept(op, "x1"));
    op.result(x, op.declared("x1"));
}

void lower_npu_group_norm_silu(Lowering& op) {
    const Tensor x = op.tensor("input");
    if (x.ndim() < 2 || x.numel() == 0)
        op.reject("input " + to_string(x.shape()) + " has no channels");
    const std::vector<Tensor> made = op.computed("native_group_norm",
                                                 {{"input", x},
                                                  {"weight", op.given("weight")},
                                                  {"bias", op.given("bias")},
                                                  {"N", x.dim(0)},
                                                  {"C", x.dim(1)},
                                                  {"HxW", x.numel() / (x.dim(0) * x.dim(1))},
                                                  {"group", op.integer("group")},
                                                  {"eps", op.number("eps")}});
    op.result(op.step("silu", {{"self", made.at(0)}}), op.declared("input"));
    for (size_t statistic : {1, 2})
        op.result(made.at(statistic), op.declared("input"));
}

void lower_npu_rms_norm_backward(Lowering& op) {
    const Tensor x = op.tensor("self");
    const Tensor dy = op.tensor("dy");
    const Tensor gamma = op.tensor("gamma");
    const int64_t first = x.ndim() - gamma.ndim();
    const Tensor normed = product(op, x, op.tensor("rstd"));
    const Tensor g = product(op, dy, gamma);
    const Tensor along = mean_along(op, product(op, g, normed), axes(first, x.ndim()));
    const Tensor left = difference(op, g, product(op, normed, along));
    op.result(product(op, left, op.tensor("rstd")), op.declared("self"));
    op.result(sum_along(op, product(op, dy, normed), axes(0, first)).reshaped(gamma.shape()),
              kept(op, "gamma"));
}

// -- Activations ---------------------------------------------------------------------------------

void lower_npu_swiglu(Lowering& op) {
    const Halves halves = halves_of(op, op.tensor("self"), op.integer("dim"));
    op.result(product(op, op.step("silu", {{"self", halves.first}}), halves.second),
              op.declared("self"));
}

void lower_npu_swiglu_backward(Lowering& op) {
    const Halves halves = halves_of(op, op.tensor("self"), op.integer("dim"));
    const Tensor dy = op.tensor("grad_output");
    const Tensor gate = op.step(
        "silu_backward", {{"grad_output", product(op, dy, halves.second)}, {"self", halves.first}});
    const Tensor up = product(op, dy, op.step("silu", {{"self", halves.first}}));
    op.result(joined(op, gate, up, op.integer("dim")), op.declared("self"));
}

namespace {

NamedValue form_of_gelu(Lowering& op) {
    return {"approximate", std::string(op.integer("approximate") == 1 ? "tanh" : "none")};
}

/// What goes through the GELU, and the other half.
Halves gated(Lowering& op) {
    Halves halves = halves_of(op, op.tensor("self"), op.integer("dim"));
    if (!op.flag("activate_left")) std::swap(halves.first, halves.second);
    return halves;
}

}  // namespace

void lower_npu_geglu(Lowering& op) {
    const Halves halves = gated(op);
    const Tensor gelu = op.step("gelu", {{"self", halves.first}, form_of_gelu(op)});
    op.result(product(op, gelu, halves.second), op.declared("self"));
    op.result(gelu, op.declared("self"));
}

void lower_npu_geglu_grad(Lowering& op) {
    const Halves halves = gated(op);
    const Tensor dy = op.tensor("grad_output");
    const Tensor gate = op.step("gelu_backward",
                                {{"grad_output", product(op, dy, halves.second)},
                                 {"self", halves.first},
                                 form_of_gelu(op)});
    const Tensor up = product(op, dy, op.tensor("gelu"));
    const bool is_left = op.flag("activate_left");
    op.result(joined(op, is_left ? gate : up, is_left ? up : gate, op.integer("dim")),
              op.declared("self"));
}

void lower_npu_silu_backward(Lowering& op) {
    op.result(op.step("silu_backward",
                      {{"grad_output", op.tensor("grad_output")}, {"self", op.tensor("x0")}}),
              op.declared("x0"));
}

void lower_fast_gelu(Lowering& op) {
    const Tensor x = op.tensor("self");
    const Tensor share = op.step("sigmoid", {{"self", scaled(op, x, kFastGelu)}});
    op.result(product(op, x, share), op.declared("self"));
}

// s + 1.702 x s (1 - s), with s the sigmoid.
void lower_fast_gelu_backward(Lowering& op) {
    const Tensor x = op.tensor("self");
    const Tensor share = op.step("sigmoid", {{"self", scaled(op, x, kFastGelu)}});
    const Tensor rest = difference(op, share, product(op, share, share));
    const Tensor slope = sum(op, share, product(op, scaled(op, x, kFastGelu), rest));
    op.result(product(op, op.tensor("grad"), slope), op.declared("self"));
}

// -- Attention -----------------------------------------------------------------------------------

namespace {

/// (-second, first): each pair of numbers by a quarter turn.
Tensor turned(Lowering& op, const Tensor& x) {
    if (op.declares("rotary_mode") && op.text("rotary_mode") != "half")
        op.reject("rotary_mode " + op.text("rotary_mode") + " is not computed; half is");
    const Halves halves = halves_of(op, x, -1);
    return joined(op, negative(op, halves.second), halves.first, -1);
}

}  // namespace

void lower_npu_rotary_mul(Lowering& op) {
    const Tensor x = op.tensor("self");
    op.result(sum(op, product(op, x, op.tensor("r1")), product(op, turned(op, x), op.tensor("r2"))),
              op.declared("self"));
}

void lower_npu_rotary_mul_backward(Lowering& op) {
    const Tensor x = op.tensor("self");
    const Tensor dy = op.tensor("grad");
    const Halves back = halves_of(op, product(op, dy, op.tensor("r2")), -1);
    const Tensor of_turned = joined(op, back.second, negative(op, back.first), -1);
    op.result(sum(op, product(op, dy, op.tensor("r1")), of_turned), op.declared("self"));
    op.result(sum_to(op, product(op, dy, x), op.raw("r1").shape()), op.declared("r1"));
    op.result(sum_to(op, product(op, dy, turned(op, x)), op.raw("r2").shape()), op.declared("r2"));
}

void lower_npu_scaled_masked_softmax(Lowering& op) {
    if (op.flag("fixed_triu_mask")) op.reject("fixed_triu_mask is not computed");
    const Tensor scores = scaled(op, op.tensor("x"), op.scalar("scale").to_double());
    const Tensor left = op.step(
        "masked_fill_Scalar",
        {{"self", scores}, {"mask", truths_of(op, op.raw("mask"))}, {"value", Scalar{kMasked}}});
    op.result(op.step("_softmax", {{"self", left}, {"dim", int64_t{-1}}, {"half_to_float", false}}),
              op.declared("x"));
}

void lower_npu_scaled_masked_softmax_backward(Lowering& op) {
    const Tensor y = op.tensor("y");
    const Tensor g = product(op, op.tensor("y_grad"), y);
    const Tensor total = sum_along(op, g, {-1});
    const Tensor of_scores = difference(op, g, product(op, y, total));
    const Tensor open = op.step(
        "masked_fill_Scalar",
        {{"self", of_scores}, {"mask", truths_of(op, op.raw("mask"))}, {"value", Scalar{0.0}}});
    op.result(scaled(op, open, op.scalar("scale").to_double()), op.declared("y_grad"));
}

// -- Products ------------------------------------------------------------------------------------

void lower_npu_linear_backward(Lowering& op) {
    const auto rows = [&](std::string_view name) {
        const Tensor tensor = op.tensor(name);
        const int64_t width = tensor.dim(tensor.ndim() - 1);
        return tensor.reshaped({width == 0 ? 0 : tensor.numel() / width, width});
    };
    const Tensor dy = rows("grad");
    const Tensor turned = permuted(op, dy, {1, 0});
    op.result(op.step("mm", {{"self", dy}, {"mat2", op.tensor("weight")}})
                  .reshaped(op.raw("input").shape()),
              op.declared("input"));
    op.result(op.step("mm", {{"self", turned}, {"mat2", rows("input")}}), op.declared("weight"));
}

// -- Views ---------------------------------------------------------------------------------------

namespace {

/// Of as many axes as `ndim`, each once.
const IntList& permutation(const Lowering& op, int64_t ndim) {
    const IntList& perm = op.ints("perm");
    IntList sorted = perm;
    std::ranges::sort(sorted);
    if (sorted != axes(0, ndim))
        op.reject("perm " + to_string(perm) + " orders no " + std::to_string(ndim) + " axes");
    return perm;
}

}  // namespace

void lower_npu_confusion_transpose(Lowering& op) {
    const Tensor x = op.tensor("self");
    const IntList& shape = op.ints("shape");
    if (op.flag("transpose_first")) {
        op.result(permuted(op, x, permutation(op, x.ndim())).reshaped(shape), op.declared("self"));
        return;
    }
    const Tensor before = x.reshaped(shape);
    op.result(permuted(op, before, permutation(op, before.ndim())), op.declared("self"));
}

/// `shape` is that of what the forward pass was given, and the flag the opposite of the forward's:
/// what came last there comes first. Some record the forward's own; where shapes fit one way only,
/// that is it.
void lower_npu_confusion_transpose_backward(Lowering& op) {
    const Tensor dy = op.tensor("grad");
    const IntList& shape = op.ints("shape");
    const auto axes_of_perm = static_cast<int64_t>(op.ints("perm").size());
    const bool fits_first = dy.ndim() == axes_of_perm;
    const bool fits_last = std::ssize(shape) == axes_of_perm;
    const bool is_first = fits_first && fits_last ? op.flag("transpose_first") : fits_first;
    const IntList& perm = permutation(op, is_first ? dy.ndim() : std::ssize(shape));
    IntList back(perm.size());
    for (size_t i = 0; i < perm.size(); ++i)
        back[static_cast<size_t>(perm[i])] = static_cast<int64_t>(i);
    if (is_first) {
        op.result(permuted(op, dy, back).reshaped(shape), op.declared("grad"));
        return;
    }
    Shape between(perm.size());
    for (size_t i = 0; i < perm.size(); ++i)
        between[i] = shape[static_cast<size_t>(perm[i])];
    op.result(permuted(op, dy.reshaped(between), back), op.declared("grad"));
}

}  // namespace npuscope::diagnose
