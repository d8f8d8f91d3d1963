#include "npu_backend/onnx/model_inputs.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/error.h"
#include "core/base/printable.h"

namespace npuscope::onnx_model {

namespace {

/// "'input' float32 [64,1,8,8]"
std::string in_words(const TensorInfo& info) {
    std::string text = in_quotes(info.name) + " " + (info.optional ? "optional " : "") +
                       (info.kind == ValueKind::kSequence ? "sequence of " : "") +
                       std::string(name_of(info.dtype));
    if (!info.shape_known) return text;
    text += " [";
    for (size_t axis = 0; axis < info.shape.size(); ++axis) {
        if (axis > 0) text += ',';
        const std::string& symbol = info.symbols[axis];
        if (info.shape[axis] >= 0) {
            text += std::to_string(info.shape[axis]);
        } else {
            text += symbol.empty() ? "?" : printable(symbol);
        }
    }
    return text + "]";
}

using Sizes = std::map<std::string, int64_t>;

/// What is wrong with one array, or "".
std::string misfit(const TensorInfo& info,
                   const std::string& name,
                   const Tensor& tensor,
                   Sizes& sizes) {
    bool fits = tensor.dtype() == info.dtype;
    std::string why;
    if (info.shape_known) fits = fits && tensor.shape().size() == info.shape.size();
    for (size_t axis = 0; fits && axis < info.shape.size(); ++axis) {
        const int64_t dim = tensor.shape()[axis];
        const std::string& symbol = info.symbols[axis];
        if (info.shape[axis] >= 0) {
            fits = dim == info.shape[axis];
        } else if (!symbol.empty()) {
            const int64_t size = sizes.emplace(symbol, dim).first->second;
            fits = dim == size;
            if (!fits)
                why = "; " + printable(symbol) + " is " + std::to_string(size) +
                      " by an earlier dimension";
        }
    }
    if (fits) return "";
    return "input " + in_quotes(name) + " is " + std::string(name_of(tensor.dtype())) + " " +
           to_string(tensor.shape()) + why;
}

const Tensor* find_array(const NamedTensors& arrays, const std::string& name) {
    const auto found = std::ranges::find(arrays, name, &NamedTensors::value_type::first);
    return found == arrays.end() ? nullptr : &found->second;
}

std::string element_name(const TensorInfo& info, size_t index) {
    return info.name + "/" + std::to_string(index);
}

TensorList elements_of(const TensorInfo& info, const NamedTensors& arrays) {
    TensorList list;
    while (const Tensor* tensor = find_array(arrays, element_name(info, list.size())))
        list.push_back(*tensor);
    return list;
}

std::string sequence_problem(const TensorInfo& info, const NamedTensors& arrays) {
    const TensorList list = elements_of(info, arrays);
    const auto given = std::ranges::count_if(
        arrays, [&](const auto& array) { return is_array_of(info, array.first); });
    if (static_cast<size_t>(given) != list.size())
        return "input " + in_quotes(element_name(info, list.size())) + " is not given";
    for (size_t i = 0; i < list.size(); ++i) {
        Sizes sizes;  // elements may differ from each other
        std::string problem = misfit(info, element_name(info, i), list[i], sizes);
        if (!problem.empty()) return problem;
    }
    return "";
}

}  // namespace

std::string in_words(const std::vector<TensorInfo>& infos) {
    std::string text;
    for (const TensorInfo& info : infos)
        text += (text.empty() ? "" : ", ") + in_words(info);
    return text.empty() ? "none" : text;
}

bool is_array_of(const TensorInfo& info, const std::string& array) {
    if (info.kind == ValueKind::kTensor) return array == info.name;
    if (!array.starts_with(info.name + "/")) return false;
    const std::string number = array.substr(info.name.size() + 1);
    return !number.empty() && number.find_first_not_of("0123456789") == std::string::npos;
}

std::string first_problem(const std::vector<TensorInfo>& infos, const NamedTensors& arrays) {
    for (const auto& [name, tensor] : arrays) {
        const std::string& array = name;
        if (std::ranges::none_of(infos, [&](const auto& info) { return is_array_of(info, array); }))
            return "there is no input " + in_quotes(name);
        if (std::ranges::count(arrays, name, &NamedTensors::value_type::first) > 1)
            return "input " + in_quotes(name) + " is given twice";
    }
    Sizes sizes;
    for (const TensorInfo& info : infos) {
        std::string problem;
        if (info.kind == ValueKind::kSequence) {
            problem = sequence_problem(info, arrays);
        } else if (const Tensor* tensor = find_array(arrays, info.name)) {
            problem = misfit(info, info.name, *tensor, sizes);
        } else if (!info.optional) {
            problem = "input " + in_quotes(info.name) + " is not given";
        }
        if (!problem.empty()) return problem;
    }
    return "";
}

GraphValue input_value(const TensorInfo& info, const NamedTensors& arrays) {
    if (info.kind == ValueKind::kSequence) {
        TensorList list = elements_of(info, arrays);
        if (info.optional && list.empty()) return Absent{};
        return list;
    }
    const Tensor* tensor = find_array(arrays, info.name);
    if (tensor == nullptr) return Absent{};
    return *tensor;
}

void append_arrays(const TensorInfo& info, const GraphValue& value, NamedTensors& arrays) {
    if (const auto* tensor = std::get_if<Tensor>(&value)) {
        arrays.emplace_back(info.name, *tensor);
    } else if (const auto* list = std::get_if<TensorList>(&value)) {
        for (size_t i = 0; i < list->size(); ++i)
            arrays.emplace_back(element_name(info, i), (*list)[i]);
    } else if (std::holds_alternative<std::monostate>(value)) {
        throw Error(ErrorKind::kFormat, "output " + in_quotes(info.name) + " was not computed");
    }
}

}  // namespace npuscope::onnx_model
