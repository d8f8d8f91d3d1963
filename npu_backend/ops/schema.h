// An IR op's signature, parsed from one line in ATen's notation.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/value.h"

namespace npuscope::backend {

/// What an argument or result may be.
enum class ArgumentKind : uint8_t {
    kTensor,
    kTensorList,  ///< a tensor of rank 1 without elements, float32, stands for None inside
    kInt,
    kFloat,
    kBool,
    kScalar,
    kIntList,
    kFloatList,
    kBoolMask,
    kDType,
    kString,
    kIgnored,  ///< Layout, Device, MemoryFormat, Generator: taken and without effect
};

struct Argument {
    std::string name;
    ArgumentKind kind = ArgumentKind::kTensor;
    bool optional = false;  ///< None is a value
    size_t repeat = 0;      ///< int[2]: one number stands for a list of two
    bool has_default = false;
    Value default_value;
};

/// Source of the notation: PyTorch, aten/src/ATen/native/README.md.
struct Schema {
    std::string name;  ///< IR name: "add.Tensor" is add_Tensor
    std::vector<Argument> arguments;
    std::vector<Argument> results;  ///< result, or result0, result1, …

    /// "mean.dim(Tensor self, int[1]? dim, bool keepdim=False) -> Tensor".
    /// Errors: Error(kInternal) on a line that does not parse.
    [[nodiscard]] static Schema parse(std::string_view line);

    /// All arguments in schema order, defaults filled in, numbers brought to the declared kind.
    /// Errors: Error(kUsage) names op and argument.
    [[nodiscard]] NamedValues bind(std::vector<Value> positional) const;
    [[nodiscard]] NamedValues bind_named(NamedValues named) const;
};

}  // namespace npuscope::backend
