// Gradients of attention, fused or put together from products.
#include <algorithm>

#include "diagnose/apis/gradients.h"
#include "diagnose/apis/lazy_tensors.h"
#include "diagnose/apis/not_computed.h"
#include "diagnose/judge/composed_op.h"

namespace npuscope::diagnose {

namespace {

/// Put together from products, it ends in a view of the last one.
bool is_of_view(const GradientQuery& query) {
    return query.made.size() == 1 && place_among(query.made[0]) == "0" &&
           query.made[0].shape.size() != query.gradient().shape.size();
}

}  // namespace

std::vector<ApiCall> gradients_of_attention(const GradientQuery& query) {
    if (is_of_view(query))
        return {made_by(
            "reshape",
            {{"self", Operand::of(query.gradient())}, {"shape", Operand::of(query.made[0].shape)}},
            query.made[0])};
    const auto in_layout = [&](const SourceTensor& tensor) {
        return query.forward.layout ? query.forward.layout(tensor) : tensor;
    };
    ApiCall call{.op = find_composed_op("gradient_of_attention")};
    int64_t shared = 1;
    for (size_t place = 0; place < 3; ++place) {
        const SourceTensor* made = query.at(place);
        if (made == nullptr) continue;
        SourceTensor result = in_layout(*made);
        const Shape& whole = query.operand(place == 0   ? "query"
                                           : place == 1 ? "key"
                                                        : "value")
                                 .shape;
        if (place > 0 && whole.size() == 4 && result.shape.size() == 4 && result.shape[1] > 0)
            shared = whole[1] / result.shape[1];
        result.name = call.op->schema.results[place].name;
        call.results.push_back(std::move(result));
    }
    std::vector<NamedOperand> arguments = {{"grad", Operand::of(in_layout(query.gradient()))},
                                           {"shared", Operand::of(shared)}};
    for (const char* name : {"query", "key", "value", "attn_mask", "is_causal", "scale"})
        if (const Operand given = query.forward.argument(name); !given.is_none())
            arguments.push_back({name, given});
    if (query.forward.argument("is_causal").is_none())
        arguments.push_back({"is_causal", Operand::of(false)});
    call.arguments = bind_to(*call.op, arguments).arguments;
    return {std::move(call)};
}

}  // namespace npuscope::diagnose
