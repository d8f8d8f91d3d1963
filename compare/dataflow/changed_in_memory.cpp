#include "compare/dataflow/changed_in_memory.h"

#include "compare/relate/loss_multiple.h"

namespace npuscope::compare {

namespace {

/// Of the elements: no chance.
constexpr double kMostlyEqual = 0.25;

}  // namespace

Relation relation_in_memory(const Tensor& given, const Tensor& made) {
    if (loss_multiple(made, given) != 1 || loss_multiple(given, made) != 1) return {};
    return relation_of(given, made);
}

bool is_changed_in_memory(const Relation& relation) {
    switch (relation.likeness) {
        case Likeness::kEdited:
        case Likeness::kMoved:
        case Likeness::kDerived:
            return true;
        case Likeness::kOther:
            return relation.equal >= kMostlyEqual;
        default:
            return false;
    }
}

}  // namespace npuscope::compare
