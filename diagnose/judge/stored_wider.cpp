#include "diagnose/judge/stored_wider.h"

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace npuscope::diagnose {

namespace {

/// Numbers that use the last bits of bfloat16 among what a run took in; integers and masks are
/// short in every format. Of what it gave out one is enough: another format has 16 bits more.
constexpr int64_t kTelling = 16;
constexpr uint32_t kBeyond = 0xffffU;
constexpr uint32_t kLastBits = 0x7U << 16U;

/// How many elements tell of bfloat16; empty where one is no number of it.
std::optional<int64_t> telling_elements(const Tensor& tensor) {
    int64_t telling = 0;
    for (const float element : tensor.as<float>()) {
        const auto bits = std::bit_cast<uint32_t>(element);
        if ((bits & kBeyond) != 0) return std::nullopt;
        telling += (bits & kLastBits) != 0 ? 1 : 0;
    }
    return telling;
}

/// Norms take parameters and statistics in float32 beside a narrower input, whose dtype they give
/// back; elsewhere the result is as wide as the widest operand.
bool may_be_mixed(const backend::Op& op) {
    return op.name().find("norm") != std::string::npos;
}

/// What the run took in, its lists too.
std::vector<Tensor*> wide_arguments(OpRun& run) {
    std::vector<Tensor*> found;
    const auto take = [&](Tensor& tensor) {
        if (tensor.dtype() == DType::kFloat32) found.push_back(&tensor);
    };
    for (NamedValue& argument : run.arguments)
        if (auto* tensor = std::get_if<Tensor>(&argument.value))
            take(*tensor);
        else if (auto* list = std::get_if<TensorList>(&argument.value))
            for (Tensor& each : *list)
                take(each);
    return found;
}

std::vector<Tensor*> wide_results(OpRun& run) {
    std::vector<Tensor*> found;
    for (RecordedResult& result : run.results)
        if (result.elements.dtype() == DType::kFloat32) found.push_back(&result.elements);
    return found;
}

/// Those that hold numbers of bfloat16 are left, with how many elements tell it; empty where the
/// first, or one that must, does not.
int64_t keep_narrow(std::vector<Tensor*>& tensors, bool all) {
    int64_t telling = 0;
    std::vector<Tensor*> narrow;
    for (Tensor* tensor : tensors) {
        const std::optional<int64_t> found = telling_elements(*tensor);
        if (!found && (all || narrow.empty())) {
            tensors.clear();
            return 0;
        }
        if (!found) continue;
        telling += *found;
        narrow.push_back(tensor);
    }
    tensors = std::move(narrow);
    return telling;
}

}  // namespace

void narrow_stored_wider(OpRun& run) {
    const bool all = !may_be_mixed(*run.op);
    std::vector<Tensor*> results = wide_results(run);
    if (keep_narrow(results, all) == 0) return;
    std::vector<Tensor*> arguments = wide_arguments(run);
    if (keep_narrow(arguments, all) < kTelling) return;
    for (const auto& tensors : {results, arguments})
        for (Tensor* tensor : tensors)
            *tensor = tensor->cast(DType::kBFloat16);
}

}  // namespace npuscope::diagnose
