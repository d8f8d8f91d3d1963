// Other classes that an op's results may be held to, since of its steps or of what it takes in.
#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

#include "diagnose/judge/side_judge.h"
#include "diagnose/judge/stated_arithmetic.h"
#include "diagnose/judge/vector_error.h"

namespace npuscope::diagnose {

namespace {

/// Norms of 16-bit tensors give out statistics in float32 beside them.
bool gives_out(const OpRun& run, DType dtype) {
    return std::ranges::any_of(run.results, [&](const RecordedResult& result) {
        return result.elements.dtype() == dtype && result.elements.numel() > 0;
    });
}

bool holds_more_than(const NumberFormat& format, const NamedValue& argument) {
    const auto* tensor = std::get_if<Tensor>(&argument.value);
    if (tensor == nullptr || tensor->dtype() != DType::kFloat64) return false;
    return std::ranges::any_of(tensor->as<double>(), [&](double value) {
        return std::isfinite(value) && format.rounded(value) != value;
    });
}

/// Of one sum or product in an arithmetic that is told by its results alone, which have few bits:
/// where all that other ops take in has as few, nobody knows whether these are rounded as well.
/// nullptr of others, and where what the op takes in has as few bits.
const VectorClass* rounds_operands_as(const OpRun& run, const InferredArithmetic& inferred) {
    if (inferred.vector == nullptr || !is_rounded_once(*run.op)) return nullptr;
    const VectorClass& by = *inferred.vector;
    if (by.steps_are_narrow() || by.results.bits >= by.steps.bits ||
        std::ranges::none_of(run.wide, [&](const NamedValue& argument) {
            return holds_more_than(by.results, argument);
        }))
        return nullptr;
    const auto narrow = std::ranges::find_if(vector_classes(), [&](const VectorClass& each) {
        return each.steps == by.results && each.results == by.results;
    });
    return narrow != vector_classes().end() ? &*narrow : nullptr;
}

}  // namespace

std::vector<InferredArithmetic> SideJudge::classes_inside(const OpRun& run,
                                                          const ArithmeticGroup& group) const {
    std::vector<InferredArithmetic> classes;
    if (device_ != nullptr) return classes;
    if (multiplies_inside(*run.op)) {
        ArithmeticGroup products = group;
        products.kind = OpKind::kProduct;
        classes.push_back({.vector = &vector_class_around(class_of(products).of_products())});
        if (is_of_cudnn(*run.op)) {
            products.kind = OpKind::kConvolution;
            const auto found = classes_.find(products);
            const ProductClass& convolutions =
                found != classes_.end() ? found->second.of_products() : cudnn_product_class();
            classes.push_back({.vector = &vector_class_around(convolutions)});
        }
    }
    ArithmeticGroup wider = group;
    wider.dtype = DType::kFloat32;
    if (const auto found = classes_.find(wider);
        found != classes_.end() && group.dtype != wider.dtype && gives_out(run, wider.dtype))
        classes.push_back(found->second);
    if (const VectorClass* rounds = rounds_operands_as(run, class_of(group, run)))
        classes.push_back({.vector = rounds});
    const auto apart = apart_.find(group);
    if (run.op->row->is_composed && apart != apart_.end())
        for (const auto& [name, inferred] : apart->second.ops)
            classes.push_back(inferred);
    return classes;
}

}  // namespace npuscope::diagnose
