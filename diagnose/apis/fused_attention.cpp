#include "diagnose/apis/fused_attention.h"

#include <algorithm>

#include "diagnose/apis/lazy_tensors.h"
#include "diagnose/apis/not_computed.h"

namespace npuscope::diagnose {

namespace {

Operand given(const std::vector<NamedOperand>& arguments, std::string_view name) {
    const auto found = std::ranges::find(arguments, name, &NamedOperand::name);
    return found == arguments.end() ? Operand() : found->value;
}

const SourceTensor& tensor_in(const std::vector<NamedOperand>& arguments, std::string_view name) {
    const auto found = std::ranges::find(arguments, name, &NamedOperand::name);
    if (found == arguments.end() || !found->value.tensor)
        not_computed(std::string(name) + " is not recorded");
    return *found->value.tensor;
}

double number_in(const std::vector<NamedOperand>& arguments, std::string_view name) {
    const Operand found = given(arguments, name);
    if (!found.is_number()) not_computed(std::string(name) + " is not recorded");
    return found.number->numbers.front();
}

/// Batch, heads, places, width. `heads` 0: as many as the width says, `width` being of one head.
SourceTensor by_heads(const SourceTensor& tensor,
                      const std::string& layout,
                      int64_t heads,
                      int64_t width) {
    const Shape& shape = tensor.shape;
    if (layout == "BNSD" && shape.size() == 4) return tensor;
    if (layout == "BSND" && shape.size() == 4) return permuted(tensor, {0, 2, 1, 3});
    if (shape.size() != 3 || (layout != "BSH" && layout != "SBH"))
        not_computed("attention of layout " + layout + " is not computed");
    if (heads == 0) heads = width == 0 ? 0 : shape[2] / width;
    if (heads <= 0 || shape[2] % heads != 0)
        not_computed("attention whose heads do not divide its width is not computed");
    const SourceTensor parts = reshaped(tensor, {shape[0], shape[1], heads, shape[2] / heads});
    return layout == "BSH" ? permuted(parts, {0, 2, 1, 3}) : permuted(parts, {1, 2, 0, 3});
}

/// Each head of keys or values as often as queries share it.
SourceTensor shared_by(const SourceTensor& tensor, int64_t heads) {
    const Shape& own = tensor.shape;
    if (own[1] == heads) return tensor;
    if (own[1] == 0 || heads % own[1] != 0)
        not_computed("attention whose heads are no multiple of its keys' is not computed");
    const int64_t times = heads / own[1];
    return reshaped(expanded(reshaped(tensor, {own[0], own[1], 1, own[2], own[3]}),
                             {own[0], own[1], times, own[2], own[3]}),
                    {own[0], heads, own[2], own[3]});
}

/// Here a truth says what is left out, there what takes part.
SourceTensor turned_mask(const SourceTensor& mask) {
    return made_of(mask, DType::kBool, mask.shape, [](const Tensor& elements) {
        Tensor turned(DType::kBool, elements.shape());
        for (int64_t i = 0; i < elements.numel(); ++i)
            turned.mutable_as<bool>()[static_cast<size_t>(i)] = elements.at(i) == 0;
        return turned;
    });
}

}  // namespace

ApiCall fused_attention(const std::vector<NamedOperand>& arguments,
                        const std::vector<SourceTensor>& outputs) {
    for (const char* name :
         {"pse", "padding_mask", "prefix", "actual_seq_qlen", "actual_seq_kvlen"})
        if (!given(arguments, name).is_none())
            not_computed("attention with " + std::string(name) + " is not computed");
    if (number_in(arguments, "keep_prob") != 1) not_computed("random");
    const Operand word = given(arguments, "input_layout");
    const std::string layout = word.is_text() ? word.number->text : "";
    const auto heads = static_cast<int64_t>(number_in(arguments, "head_num"));
    const SourceTensor query = by_heads(tensor_in(arguments, "query"), layout, heads, 0);
    const int64_t width = query.shape[3];
    const SourceTensor key =
        shared_by(by_heads(tensor_in(arguments, "key"), layout, 0, width), heads);
    const SourceTensor value =
        shared_by(by_heads(tensor_in(arguments, "value"), layout, 0, width), heads);
    const double mode = number_in(arguments, "sparse_mode");
    const bool causal = mode == 2 || (mode == 3 && query.shape[2] == key.shape[2]);
    if (mode != 0 && !causal) not_computed("attention of this sparse_mode is not computed");
    std::vector<NamedOperand> all = {{"query", Operand::of(query)},
                                     {"key", Operand::of(key)},
                                     {"value", Operand::of(value)},
                                     {"scale", Operand::of(number_in(arguments, "scale"))},
                                     {"is_causal", Operand::of(causal)}};
    if (const Operand mask = given(arguments, "atten_mask"); mask.tensor && !causal)
        all.push_back({"attn_mask", Operand::of(turned_mask(*mask.tensor))});
    ApiCall call = bind_named("scaled_dot_product_attention", all);
    if (outputs.empty()) not_computed("no result is recorded");
    call.layout = [layout, width](const SourceTensor& tensor) {
        return by_heads(tensor, layout, 0, width);
    };
    SourceTensor result = by_heads(outputs.front(), layout, heads, 0);
    result.name = call.op->schema.results.front().name;
    call.results.push_back(std::move(result));
    return call;
}

}  // namespace npuscope::diagnose
