#include "npu_backend/onnx/operators.h"

#include <algorithm>
#include <array>

namespace npuscope::onnx_model {

#define ONNX_OPERATOR(file, type, function, ...) void function(NodeRun& node);
#include "npu_backend/onnx/operators.def"
#undef ONNX_OPERATOR

namespace {

constexpr auto kOperators = std::to_array<Operator>({
#define ONNX_OPERATOR(file, type, function, ...) {#type, function, __VA_ARGS__},
#include "npu_backend/onnx/operators.def"
#undef ONNX_OPERATOR
});

}  // namespace

std::span<const Operator> all_operators() {
    return kOperators;
}

const Operator* find_operator(std::string_view type) {
    const auto* row = std::ranges::find(kOperators, type, &Operator::type);
    return row == kOperators.end() ? nullptr : row;
}

bool lists_word(std::string_view words, std::string_view word) {
    while (!words.empty()) {
        const size_t end = std::min(words.find(' '), words.size());
        if (words.substr(0, end) == word) return true;
        words.remove_prefix(std::min(end + 1, words.size()));
    }
    return false;
}

}  // namespace npuscope::onnx_model
