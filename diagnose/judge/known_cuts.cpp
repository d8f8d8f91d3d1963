#include "diagnose/judge/known_cuts.h"

#include <iterator>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace npuscope::diagnose {

namespace {

std::string shape_text(const Tensor& tensor) {
    return fmt::format("{}{}", name_of(tensor.dtype()), tensor.shape());
}

struct TextOf {
    std::string operator()(std::monostate) const { return "none"; }
    std::string operator()(const Tensor& tensor) const { return shape_text(tensor); }
    std::string operator()(const TensorList& tensors) const {
        std::string text;
        for (const Tensor& tensor : tensors)
            text += shape_text(tensor) + ",";
        return text;
    }
    std::string operator()(const Scalar& scalar) const {
        return fmt::format("scalar {}", scalar.to_double());
    }
    std::string operator()(DType dtype) const { return std::string(name_of(dtype)); }
    std::string operator()(const BoolMask& mask) const { return fmt::format("{}", mask.bits); }
    template <class T>
    std::string operator()(const T& plain) const {
        return fmt::format("{}", plain);
    }
};

/// What runs that are alike have in common.
std::string key_of(const OpRun& run) {
    std::string key(run.op->name());
    for (const NamedValue& argument : run.arguments)
        fmt::format_to(
            std::back_inserter(key), "|{}={}", argument.name, std::visit(TextOf(), argument.value));
    for (const RecordedResult& result : run.results)
        fmt::format_to(std::back_inserter(key), "|{}>{}", result.name, shape_text(result.elements));
    return key;
}

}  // namespace

std::optional<Cut> KnownCuts::cut_of(const OpRun& run) const {
    const std::string key = key_of(run);
    const std::lock_guard lock(guard_);
    const auto known = cuts_.find(key);
    return known == cuts_.end() ? std::nullopt : std::optional(known->second);
}

void KnownCuts::learn(const OpRun& run, Cut cut) {
    std::string key = key_of(run);
    const std::lock_guard lock(guard_);
    cuts_.emplace(std::move(key), cut);
}

}  // namespace npuscope::diagnose
