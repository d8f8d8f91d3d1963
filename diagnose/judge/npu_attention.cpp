// torch_npu's attention in one op, and its gradients: the layouts of its tensors, what its masks
// leave out, and what it adds to the scores, as PyTorch's attention takes them.
// Source: torch_npu's API reference, npu_fusion_attention; CANN's, aclnnFlashAttentionScore.
#include "diagnose/judge/npu_attention.h"

#include <array>
#include <limits>
#include <optional>

#include "diagnose/judge/composed_op.h"
#include "diagnose/judge/fused_steps.h"

namespace npuscope::diagnose {

namespace {

/// Heads that are one behind the other in the last dimension, and their sequence, by layout.
struct Layout {
    bool is_split;  ///< heads have a dimension of their own
    IntList there;  ///< from the layout, heads split, to batch, heads, places, width
    IntList back;   ///< from these to the layout
};

Layout layout_of(const Lowering& op) {
    const std::string& name = op.text("input_layout");
    if (name == "BNSD") return {true, {0, 1, 2, 3}, {0, 1, 2, 3}};
    if (name == "BSND") return {true, {0, 2, 1, 3}, {0, 2, 1, 3}};
    if (name == "BSH") return {false, {0, 2, 1, 3}, {0, 2, 1, 3}};
    if (name == "SBH") return {false, {1, 2, 0, 3}, {2, 0, 1, 3}};
    op.reject("attention of layout " + name + " is not computed");
}

/// Batch, heads, places, width; `width` of one head.
Tensor by_heads(Lowering& op, const Tensor& tensor, const Layout& layout, int64_t width) {
    Tensor split = tensor;
    if (!layout.is_split && tensor.ndim() == 3 && width > 0 && tensor.dim(2) % width == 0)
        split = tensor.reshaped({tensor.dim(0), tensor.dim(1), tensor.dim(2) / width, width});
    if (split.ndim() != 4)
        op.reject("attention of layout " + op.text("input_layout") + " does not take " +
                  to_string(tensor.shape()));
    return permuted(op, split, layout.there);
}

int64_t width_of_head(const Lowering& op, const Layout& layout) {
    const Tensor& query = op.raw("query");
    const int64_t width = query.shape().empty() ? 0 : query.shape().back();
    if (layout.is_split) return width;
    const int64_t heads = op.integer("head_num");
    if (heads <= 0 || width % heads != 0)
        op.reject(std::to_string(heads) + " heads do not divide " + to_string(query.shape()));
    return width / heads;
}

// -- What is left out ----------------------------------------------------------------------------

/// Of sparse_mode. Diagonals are counted from the upper left corner, or from the lower right one.
enum Mode : int64_t { kGiven = 0, kAllGiven = 1, kUpperLeft = 2, kLowerRight = 3, kBand = 4 };

/// Places right of diagonal `last`, and left of diagonal `first`.
Tensor outside_of(int64_t rows, int64_t columns, int64_t first, int64_t last) {
    Tensor outside = Tensor::zeros(DType::kBool, {rows, columns});
    const std::span<bool> flags = outside.mutable_as<bool>();
    for (int64_t row = 0; row < rows; ++row)
        for (int64_t column = 0; column < columns; ++column)
            flags[static_cast<size_t>(row * columns + column)] =
                column - row > last || column - row < first;
    return outside;
}

/// True where a score is left out; none where all take part.
std::optional<Tensor> left_out(Lowering& op, int64_t rows, int64_t columns) {
    if (op.has("prefix")) op.reject("attention with a prefix is not computed");
    const int64_t mode = op.integer("sparse_mode");
    constexpr int64_t kNone = std::numeric_limits<int32_t>::min();
    const int64_t before = -op.integer("pre_tockens");
    const int64_t behind = op.integer("next_tockens");
    const int64_t corner = columns - rows;
    switch (mode) {
        case kUpperLeft:
            return outside_of(rows, columns, kNone, 0);
        case kLowerRight:
            return outside_of(rows, columns, kNone, corner);
        case kBand:
            return outside_of(rows, columns, corner + before, corner + behind);
        case kGiven:
        case kAllGiven:
            break;
        default:
            op.reject("attention of sparse_mode " + std::to_string(mode) + " is not computed");
    }
    if (!op.has("atten_mask")) return std::nullopt;
    const Tensor given = truths_of(op, op.raw("atten_mask"));
    if (mode == kAllGiven || (before <= 1 - rows && behind >= columns - 1)) return given;
    return op.step("logical_or",
                   {{"self", given}, {"other", outside_of(rows, columns, before, behind)}});
}

/// What takes part, or what is added to the scores; the scale is of what pse adds as well.
std::optional<Tensor> mask_of_scores(Lowering& op, const std::optional<Tensor>& out, double scale) {
    if (!op.has("pse")) {
        if (!out) return std::nullopt;
        return op.step("logical_not", {{"self", *out}});
    }
    const Tensor added =
        op.step("mul_Scalar", {{"self", op.tensor("pse")}, {"other", Scalar{scale}}});
    if (!out) return added;
    return op.step("where_ScalarSelf",
                   {{"condition", *out},
                    {"self", Scalar{-std::numeric_limits<double>::infinity()}},
                    {"other", added}});
}

/// One of what the shape of `tensor` may be the batch and the length of, as the layout has them.
struct Extents {
    int64_t batch = 0;
    int64_t length = 0;
};

std::optional<Extents> extents_in(const Tensor& query, std::string_view layout, int64_t heads) {
    const Shape& shape = query.shape();
    if (layout == "BSH" && shape.size() == 3) return Extents{shape[0], shape[1]};
    if (layout == "SBH" && shape.size() == 3) return Extents{shape[1], shape[0]};
    if (layout == "BSND" && shape.size() == 4 && shape[2] == heads)
        return Extents{shape[0], shape[1]};
    if (layout == "BNSD" && shape.size() == 4 && shape[1] == heads)
        return Extents{shape[0], shape[2]};
    return std::nullopt;
}

/// Whether a tensor [batch or 1, heads, length, ...] may belong to these, as far as it has axes.
bool may_belong(const Tensor* tensor, const Extents& own, bool is_of_batch) {
    if (tensor == nullptr || tensor->ndim() < 2) return true;
    if (tensor->dim(tensor->ndim() - 2) != own.length) return false;
    const int64_t batch = tensor->ndim() == 4 ? tensor->dim(0) : 1;
    return batch == own.batch || (!is_of_batch && batch == 1);
}

}  // namespace

std::vector<std::string_view> possible_layouts(const NamedValues& arguments) {
    const auto tensor = [&](std::string_view name) -> const Tensor* {
        const Value* value = find(arguments, name);
        return value == nullptr ? nullptr : std::get_if<Tensor>(value);
    };
    const auto whole = [&](std::string_view name) {
        const Value* value = find(arguments, name);
        const auto* number = value == nullptr ? nullptr : std::get_if<int64_t>(value);
        return number == nullptr ? 0 : *number;
    };
    std::vector<std::string_view> layouts;
    const Tensor* query = tensor("query");
    if (query == nullptr) return layouts;
    // Modes that are told by a number alone have a mask of a size of its own.
    const bool has_own_mask = whole("sparse_mode") > kAllGiven;
    for (const std::string_view layout : {"BSH", "SBH", "BSND", "BNSD"}) {
        const auto extents = extents_in(*query, layout, whole("head_num"));
        if (extents && may_belong(tensor("softmax_max"), *extents, true) &&
            may_belong(tensor("pse"), *extents, false) &&
            (has_own_mask || may_belong(tensor("atten_mask"), *extents, false)))
            layouts.push_back(layout);
    }
    return layouts;
}

NamedValues attention_arguments(Lowering& op) {
    if (op.number("keep_prob") != 1) op.reject("dropout is not computed");
    for (const char* name : {"padding_mask", "actual_seq_qlen", "actual_seq_kvlen"})
        if (op.has(name)) op.reject("attention with " + std::string(name) + " is not computed");
    const Layout layout = layout_of(op);
    const int64_t width = width_of_head(op, layout);
    const auto heads = [&](std::string_view name) {
        return by_heads(op, op.tensor(name), layout, width);
    };
    const Tensor query = heads("query");
    const Tensor key = heads("key");
    const double scale = op.number(op.declares("scale") ? "scale" : "scale_value");
    NamedValues values = {{"query", query},
                          {"key", key},
                          {"value", heads("value")},
                          {"scale", scale},
                          {"dropout_p", 0.0},
                          {"is_causal", false}};
    if (auto mask = mask_of_scores(op, left_out(op, query.dim(2), key.dim(2)), scale))
        values.push_back({"attn_mask", *std::move(mask)});
    if (op.declares("dy")) values.push_back({"grad", heads("dy")});
    return values;
}

Tensor laid_out_as(Lowering& op, const Tensor& heads, std::string_view argument) {
    const Tensor back = permuted(op, heads, layout_of(op).back);
    if (op.raw(argument).ndim() != 3) return back;
    return back.reshaped({back.dim(0), back.dim(1), back.dim(2) * back.dim(3)});
}

void lower_npu_fusion_attention(Lowering& op) {
    const Tensor made = op.step("scaled_dot_product_attention", attention_arguments(op));
    op.result(laid_out_as(op, made, "query"), op.declared("query"));
}

void lower_npu_fusion_attention_grad(Lowering& op) {
    NamedValues values = attention_arguments(op);
    const Tensor dy = std::get<Tensor>(*find(values, "grad"));
    std::erase_if(values, [](const NamedValue& value) { return value.name == "grad"; });
    // What the forward pass left is computed again.
    for (const char* name : {"grad_out", "out", "logsumexp"})
        values.push_back({name, dy});
    const std::vector<Tensor> made =
        op.computed("_scaled_dot_product_flash_attention_for_cpu_backward", std::move(values));
    for (size_t place = 0; place < 3; ++place) {
        const char* const name = std::array{"query", "key", "value"}.at(place);
        op.result(laid_out_as(op, made.at(place), name), op.declared(name));
    }
}

}  // namespace npuscope::diagnose
