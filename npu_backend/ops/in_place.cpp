// In-place forms: the op of the same name without _, its result stored into self.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

namespace {

/// "add_.Tensor" is add_Tensor, then stored.
void lower_in_place(Lowering& op) {
    // Those whose overloads have other names.
    constexpr auto kOther = std::to_array<std::pair<std::string_view, std::string_view>>({
        {"pow_.Scalar", "pow.Tensor_Scalar"},
        {"pow_.Tensor", "pow.Tensor_Tensor"},
        {"floor_divide_.Tensor", "floor_divide"},
        {"_index_put_impl_", "index_put"},
    });
    std::string plain(op.schema_name());
    const auto* other = std::find_if(
        kOther.begin(), kOther.end(), [&](const auto& row) { return row.first == plain; });
    if (other != kOther.end())
        plain = other->second;
    else
        plain.erase(std::min(plain.find('.'), plain.size()) - 1, 1);
    std::replace(plain.begin(), plain.end(), '.', '_');
    const Op* found = find_op(plain);
    if (found == nullptr) throw Error(ErrorKind::kInternal, "no op " + plain);
    found->row->lower(op);
    op.store_result("self");
}

#define IN_PLACE(call, kernels, source) {call " -> Tensor self", kernels, source, lower_in_place},
constexpr auto kRows = std::to_array<OpRow>({
#include "npu_backend/ops/in_place_forms.def"
});
#undef IN_PLACE

}  // namespace

extern const std::span<const OpRow> k_in_place_ops;
const std::span<const OpRow> k_in_place_ops = kRows;

}  // namespace npuscope::backend
