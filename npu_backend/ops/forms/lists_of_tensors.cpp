#include "npu_backend/ops/forms/lists_of_tensors.h"

#include <algorithm>
#include <array>
#include <string>

#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

namespace {

/// Element `index` of an argument that is a list, or the argument itself.
Value element(const Lowering& op, std::string_view name, size_t index, size_t count) {
    const Value& given = op.given(name);
    const auto size_fits = [&](size_t size) {
        if (size != count) op.reject("the lists differ in length");
    };
    if (const auto* tensors = std::get_if<TensorList>(&given)) {
        size_fits(tensors->size());
        return (*tensors)[index];
    }
    if (const auto* numbers = std::get_if<FloatList>(&given)) {
        size_fits(numbers->size());
        return Scalar{(*numbers)[index]};
    }
    return given;
}

using Pairs = std::vector<std::pair<std::string_view, std::string_view>>;

/// "given=single,given=single".
Pairs pairs_in(std::string_view rest) {
    Pairs pairs;
    while (!rest.empty()) {
        const std::string_view pair = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
        const size_t equals = pair.find('=');
        pairs.emplace_back(pair.substr(0, equals), pair.substr(equals + 1));
    }
    return pairs;
}

/// The row's argument says which of its own arguments are which of the op for one tensor:
/// "given=single,given=single". Its name ends in _ where the results replace self.
void lower_each(Lowering& op) {
    const TensorList& self = op.raw_list("self");
    const std::string_view name = op.schema_name();
    const bool in_place = name.substr(0, name.find('.')).ends_with('_');
    const auto pairs = pairs_in(op.argument());
    TensorList results;
    for (size_t i = 0; i < self.size(); ++i) {
        NamedValues arguments = {{"self", self[i]}};
        for (const auto& [given, single] : pairs)
            arguments.push_back({std::string(single), element(op, given, i, self.size())});
        Tensor y = op.rounded(op.like(), std::move(arguments));
        if (in_place) y = y.cast(self[i].dtype());
        results.push_back(std::move(y));
    }
    op.result(std::move(results));
}

}  // namespace

std::vector<std::pair<std::string_view, std::string_view>> arguments_of_one(const OpRow& row) {
    return pairs_in(row.argument);
}

std::span<const OpRow> lists_of_tensors_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
#define ROW(text, op, words, pairs) \
    {.schema = (text), .as = (op), .note = (words), .lower = lower_each, .argument = (pairs)},
#define EACH(name, overload, arguments, op, words, pairs)                     \
    ROW("_foreach_" name overload arguments " -> Tensor[]", op, words, pairs) \
    ROW("_foreach_" name "_" overload arguments " -> Tensor[] self", op, words, pairs)
#include "npu_backend/ops/forms/lists_of_tensors.def"
        ROW("_foreach_zero_(Tensor[] self) -> Tensor[] self", "zero", "", "")
            ROW("_foreach_norm.Scalar(Tensor[] self, Scalar ord=2) -> Tensor[]",
                "norm_Scalar",
                "",
                "ord=p") ROW("_foreach_max(Tensor[] self) -> Tensor[]", "max", "", "")
                ROW("_foreach_copy_(Tensor[] self, Tensor[] src, bool non_blocking=False) -> "
                    "Tensor[] self",
                    "copy",
                    "",
                    "src=src")
#undef EACH
#undef ROW
    });
    return kRows;
}

}  // namespace npuscope::backend
