// What an IR op's argument or result can be, and the codes a dump gives to each kind.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/dtype/dtype.h"
#include "core/tensor/tensor.h"

namespace npuscope {

/// A number that an op takes beside its tensors; it keeps whether it was an int, a float or a bool.
struct Scalar {
    std::variant<int64_t, double, bool> number = int64_t{0};

    [[nodiscard]] double to_double() const {
        return std::visit([](auto n) { return static_cast<double>(n); }, number);
    }
    friend bool operator==(const Scalar&, const Scalar&) = default;
};

/// A bool[N] argument, such as output_mask of a backward op.
struct BoolMask {
    std::vector<bool> bits;
    friend bool operator==(const BoolMask&, const BoolMask&) = default;
};

using TensorList = std::vector<Tensor>;
using IntList = std::vector<int64_t>;
using FloatList = std::vector<double>;

/// None (an absent optional), or one of the kinds of an ATen schema.
using Value = std::variant<std::monostate,
                           Tensor,
                           TensorList,
                           int64_t,
                           double,
                           bool,
                           Scalar,
                           IntList,
                           DType,
                           BoolMask,
                           std::string,
                           FloatList>;

struct NamedValue {
    std::string name;  ///< as in the schema: self, weight, stride, …
    Value value;
    /// Of a tensor, or of each one of a list: its strides (in elements) in the framework that it
    /// came from, where they are not those of C order; else a row is empty, or the whole. The
    /// elements here are in C order always.
    std::vector<std::vector<int64_t>> strides = {};
};
using NamedValues = std::vector<NamedValue>;

/// Attribute `Type` of a dump's dataset. 0 to 18 as the original dumper; from 100 on ours.
enum class SaveType : int32_t {
    kTensor = 0,
    kIntListBackward = 2,
    kInt = 3,
    kBool = 4,
    kFloat = 5,
    kScalar = 7,
    kDType = 14,
    kPair = 15,
    kIntList = 16,
    kFacts = 100,           ///< the JSON string /op/seqid/npuscope
    kUnmappedTensor = 101,  ///< a dtype that the original does not know (uint16/32/64, complex)
    kBoolMask = 102,
};

[[nodiscard]] inline bool is_none(const Value& value) {
    return std::holds_alternative<std::monostate>(value);
}

/// nullptr when there is none of that name.
[[nodiscard]] inline const Value* find(const NamedValues& values, std::string_view name) {
    for (const NamedValue& item : values)
        if (item.name == name) return &item.value;
    return nullptr;
}

/// Calls f(path, tensor) for each tensor, path being "name" or "name/name_i" for list elements.
template <class F>
void for_each_tensor(const NamedValues& values, F&& f) {
    for (const NamedValue& item : values) {
        if (const auto* tensor = std::get_if<Tensor>(&item.value)) {
            f(item.name, *tensor);
        } else if (const auto* list = std::get_if<TensorList>(&item.value)) {
            for (size_t i = 0; i < list->size(); ++i)
                f(item.name + "/" + item.name + "_" + std::to_string(i), (*list)[i]);
        }
    }
}

}  // namespace npuscope
