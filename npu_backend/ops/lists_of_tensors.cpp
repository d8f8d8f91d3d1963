// _foreach_ ops: one op for each tensor of a list.
#include <algorithm>
#include <array>
#include <string>

#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

namespace {

constexpr std::string_view kPrefix = "_foreach_";

struct Split {
    std::string name;  ///< of the op for one tensor
    bool in_place;
};

/// "_foreach_addcmul_.Scalar" is addcmul in place; overloads name what the lists go with.
Split single_name(const Lowering& op) {
    std::string_view name = op.schema_name();
    name.remove_prefix(kPrefix.size());
    const size_t dot = name.find('.');
    const std::string_view overload =
        dot == std::string_view::npos ? std::string_view() : name.substr(dot + 1);
    std::string_view base = name.substr(0, dot);
    const bool in_place = base.ends_with('_');
    if (in_place) base.remove_suffix(1);
    std::string single(base);
    // Those that have one form for tensors and one for numbers.
    for (const char* both : {"add", "sub", "mul", "div"})
        if (base == both)
            single += overload == "List" || overload == "Tensor" ? "_Tensor" : "_Scalar";
    if (base == "lerp") single += "_Scalar";
    if (base == "norm") single += "_Scalar";
    if (base == "pow") single += "_Tensor_Scalar";
    return {single, in_place};
}

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

/// The arguments of the op for one tensor, by its own names.
template <const char* kNames>
void lower_each(Lowering& op) {
    const TensorList& self = op.raw_list("self");
    const Split split = single_name(op);
    TensorList results;
    for (size_t i = 0; i < self.size(); ++i) {
        NamedValues arguments = {{"self", self[i]}};
        // "given=single,given=single"
        std::string_view rest = kNames;
        while (!rest.empty()) {
            const std::string_view pair = rest.substr(0, rest.find(','));
            rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
            const size_t equals = pair.find('=');
            arguments.push_back({std::string(pair.substr(equals + 1)),
                                 element(op, pair.substr(0, equals), i, self.size())});
        }
        Tensor y = op.rounded(split.name, std::move(arguments));
        if (split.in_place) y = y.cast(self[i].dtype());
        results.push_back(std::move(y));
    }
    op.result(std::move(results));
}

constexpr char kNothing[] = "";
constexpr char kScalar[] = "scalar=other";
constexpr char kScalars[] = "scalars=other";
constexpr char kOther[] = "other=other";
constexpr char kOtherAlpha[] = "other=other,alpha=alpha";
constexpr char kThree[] = "tensor1=tensor1,tensor2=tensor2,value=value";
constexpr char kThreeLists[] = "tensor1=tensor1,tensor2=tensor2,scalars=value";
constexpr char kLerp[] = "tensors1=end,weight=weight";
constexpr char kNorm[] = "ord=p";
constexpr char kExponent[] = "exponent=exponent";
constexpr char kMin[] = "scalar=min";
constexpr char kMax[] = "scalar=max";

#define NPUSCOPE_EACH(name, arguments, kernels, names)                                          \
    {"_foreach_" name "_" arguments " -> Tensor[] self", kernels, "ours", lower_each<names>}, { \
        "_foreach_" name arguments " -> Tensor[]", kernels, "ours", lower_each<names>           \
    }
#define NPUSCOPE_EACH_OVERLOAD(name, overload, arguments, kernels, names)                          \
    {"_foreach_" name "_." overload arguments " -> Tensor[] self",                                 \
     kernels,                                                                                      \
     "ours",                                                                                       \
     lower_each<names>},                                                                           \
    {                                                                                              \
        "_foreach_" name "." overload arguments " -> Tensor[]", kernels, "ours", lower_each<names> \
    }

constexpr auto kRows = std::to_array<OpRow>({
    NPUSCOPE_EACH_OVERLOAD("add", "Scalar", "(Tensor[] self, Scalar scalar)", "Add", kScalar),
    NPUSCOPE_EACH_OVERLOAD("add",
                           "List",
                           "(Tensor[] self, Tensor[] other, *, Scalar alpha=1)",
                           "Add, or Axpy when alpha is not 1",
                           kOtherAlpha),
    NPUSCOPE_EACH_OVERLOAD("sub", "Scalar", "(Tensor[] self, Scalar scalar)", "Sub", kScalar),
    NPUSCOPE_EACH_OVERLOAD("sub",
                           "List",
                           "(Tensor[] self, Tensor[] other, *, Scalar alpha=1)",
                           "Sub, after Muls(other, alpha) when alpha is not 1",
                           kOtherAlpha),
    NPUSCOPE_EACH_OVERLOAD("mul", "Scalar", "(Tensor[] self, Scalar scalar)", "Mul", kScalar),
    NPUSCOPE_EACH_OVERLOAD("mul", "List", "(Tensor[] self, Tensor[] other)", "Mul", kOther),
    NPUSCOPE_EACH_OVERLOAD("mul", "Tensor", "(Tensor[] self, Tensor other)", "Mul", kOther),
    NPUSCOPE_EACH_OVERLOAD("div", "Scalar", "(Tensor[] self, Scalar scalar)", "RealDiv", kScalar),
    NPUSCOPE_EACH_OVERLOAD("div", "List", "(Tensor[] self, Tensor[] other)", "RealDiv", kOther),
    NPUSCOPE_EACH_OVERLOAD(
        "div", "ScalarList", "(Tensor[] self, float[] scalars)", "RealDiv", kScalars),
    NPUSCOPE_EACH_OVERLOAD("addcmul",
                           "Scalar",
                           "(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar value=1)",
                           "Addcmul",
                           kThree),
    NPUSCOPE_EACH_OVERLOAD("addcdiv",
                           "Scalar",
                           "(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar value=1)",
                           "Addcdiv",
                           kThree),
    NPUSCOPE_EACH_OVERLOAD("addcdiv",
                           "ScalarList",
                           "(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, float[] scalars)",
                           "Addcdiv",
                           kThreeLists),
    NPUSCOPE_EACH_OVERLOAD(
        "lerp", "Scalar", "(Tensor[] self, Tensor[] tensors1, Scalar weight)", "Lerp", kLerp),
    NPUSCOPE_EACH_OVERLOAD("pow", "Scalar", "(Tensor[] self, Scalar exponent)", "Pow", kExponent),
    NPUSCOPE_EACH_OVERLOAD(
        "clamp_min", "Scalar", "(Tensor[] self, Scalar scalar)", "Maximum", kMin),
    NPUSCOPE_EACH_OVERLOAD(
        "clamp_max", "Scalar", "(Tensor[] self, Scalar scalar)", "Minimum", kMax),
    NPUSCOPE_EACH("sqrt", "(Tensor[] self)", "Sqrt", kNothing),
    NPUSCOPE_EACH("neg", "(Tensor[] self)", "Neg", kNothing),
    NPUSCOPE_EACH("reciprocal", "(Tensor[] self)", "Reciprocal", kNothing),
    NPUSCOPE_EACH("abs", "(Tensor[] self)", "Abs", kNothing),
    NPUSCOPE_EACH("exp", "(Tensor[] self)", "Exp", kNothing),
    {"_foreach_zero_(Tensor[] self) -> Tensor[] self", "ZerosLike", "ours", lower_each<kNothing>},
    {"_foreach_norm.Scalar(Tensor[] self, Scalar ord=2) -> Tensor[]",
     "Cast to float32, LpNormReduce, LpNormUpdate, Cast",
     "ours",
     lower_each<kNorm>},
});
#undef NPUSCOPE_EACH
#undef NPUSCOPE_EACH_OVERLOAD

}  // namespace

extern const std::span<const OpRow> k_lists_of_tensors_ops;
const std::span<const OpRow> k_lists_of_tensors_ops = kRows;

}  // namespace npuscope::backend
