#include "compare/relate/tie.h"

#include <algorithm>
#include <unordered_map>

#include "core/base/error.h"

namespace npuscope::compare {

namespace {

TensorPlace place_of(const Source& source, const ListedTensor& tensor) {
    return {&source.ops[tensor.op], tensor.number, tensor.path};
}

SourceTensor load(const TensorPlace& place) {
    std::vector<SourceTensor> tensors = place.op->load();
    if (place.number >= tensors.size())
        throw Error(ErrorKind::kIo, place.path + " is not there any more");
    return std::move(tensors[place.number]);
}

Tensor in_float64(const SourceTensor& tensor) {
    if (!tensor.open) throw Error(ErrorKind::kIo, tensor.path + ": no elements were recorded");
    return tensor.open()->whole().cast(DType::kFloat64);
}

/// a + b * scale, in a's shape. Errors: Error(kFormat) where the numels differ.
Tensor combined(const Tensor& a, const Tensor& b, double scale) {
    if (a.numel() != b.numel())
        throw Error(
            ErrorKind::kFormat,
            "a sum of " + to_string(a.shape()) + " and " + to_string(b.shape()) + " is none");
    Tensor sum(DType::kFloat64, a.shape());
    const auto to = sum.mutable_as<double>();
    const auto one = a.as<double>();
    const auto other = b.as<double>();
    for (size_t i = 0; i < to.size(); ++i)
        to[i] = one[i] + other[i] * scale;
    return sum;
}

Tensor scaled(const Tensor& tensor, double scale) {
    Tensor result(DType::kFloat64, tensor.shape());
    const auto to = result.mutable_as<double>();
    const auto from = tensor.as<double>();
    std::ranges::transform(from, to.begin(), [scale](double each) { return each * scale; });
    return result;
}

/// The tensor through a view, plus others, times a number; as it is without any of them.
void arrange(const std::optional<View>& view,
             const std::vector<TensorPlace>& more,
             double scale,
             SourceTensor& tensor) {
    if (!view && more.empty() && scale == 1) return;
    SourceTensor plain = tensor;
    tensor.storage.reset();
    tensor.hash.clear();
    if (view) tensor.shape = view->shape;
    if (!plain.open) return;
    tensor.open = [plain = std::move(plain), view, more, scale] {
        Tensor made = plain.open()->whole();
        if (view) made = apply(*view, made);
        const DType dtype = made.dtype();
        if (!more.empty() || scale != 1) {
            made = made.cast(DType::kFloat64);
            for (const TensorPlace& each : more)
                made = combined(made, in_float64(load(each)).reshaped(made.shape()), 1);
            if (scale != 1) made = scaled(made, scale);
            made = made.cast(dtype);
        }
        return std::make_unique<TensorElements>(std::move(made));
    };
}

}  // namespace

std::string TensorTie::words() const {
    std::string words = kind == RelationKind::kEqual ? "" : std::string(name_of(kind));
    if (!text.empty()) words += ": " + text;
    if (by_place) words += words.empty() ? "by place" : ", by place";
    return words;
}

std::vector<TensorTie> ties_of(const Relations& relations,
                               const Source& target,
                               const Source& golden) {
    std::vector<TensorTie> ties;
    ties.reserve(relations.found.size());
    for (const TensorRelation& each : relations.found) {
        const ListedTensor& mine = relations.target.tensors[each.target];
        TensorTie tie{.target = place_of(target, mine),
                      .golden = place_of(golden, relations.golden.tensors[each.golden]),
                      .direction = mine.direction,
                      .kind = each.kind,
                      .target_view = each.target_view,
                      .golden_view = each.golden_view,
                      .scale = each.scale,
                      .distance = each.distance,
                      .by_place = each.by_place,
                      .text = each.text};
        for (const size_t more : each.more_target)
            tie.more_target.push_back(place_of(target, relations.target.tensors[more]));
        for (const size_t more : each.more_golden)
            tie.more_golden.push_back(place_of(golden, relations.golden.tensors[more]));
        ties.push_back(std::move(tie));
    }
    return ties;
}

std::vector<std::vector<TensorTie>> input_ties(const Relations& relations,
                                               const Source& target,
                                               const Source& golden,
                                               const std::vector<std::pair<size_t, size_t>>& ops) {
    std::unordered_map<size_t, const TensorRelation*> of_target;
    for (const TensorRelation& each : relations.found)
        if (each.kind != RelationKind::kPart && each.kind != RelationKind::kSum)
            of_target[each.target] = &each;
    const auto uses_by_op = [](const Listing& listing) {
        std::unordered_map<size_t, std::vector<const TensorUse*>> uses;
        for (const TensorUse& use : listing.uses)
            uses[use.op].push_back(&use);
        return uses;
    };
    const auto mine = uses_by_op(relations.target);
    const auto theirs = uses_by_op(relations.golden);
    std::vector<std::vector<TensorTie>> all(ops.size());
    for (size_t i = 0; i < ops.size(); ++i) {
        const auto own = mine.find(ops[i].first);
        const auto others = theirs.find(ops[i].second);
        if (own == mine.end() || others == theirs.end()) continue;
        for (const TensorUse* use : own->second) {
            const auto relation = of_target.find(use->tensor);
            if (relation == of_target.end()) continue;
            const auto other = std::ranges::find_if(others->second, [&](const TensorUse* each) {
                return each->tensor == relation->second->golden;
            });
            // Inputs may be views of what the relation speaks of.
            if (other == others->second.end() || use->shape != (*other)->shape ||
                relation->second->target_view || relation->second->scale != 1)
                continue;
            all[i].push_back(
                {.target = {&target.ops[use->op], use->number, use->path},
                 .golden = {&golden.ops[(*other)->op], (*other)->number, (*other)->path},
                 .direction = dumpfile::Direction::kInput,
                 .distance = relation->second->distance,
                 .by_place = relation->second->by_place});
        }
    }
    return all;
}

TiedTensors tensors_of(const TensorTie& tie) {
    TiedTensors tensors{.target = load(tie.target), .golden = load(tie.golden)};
    arrange(tie.target_view, tie.more_target, 1, tensors.target);
    arrange(tie.golden_view, tie.more_golden, tie.scale, tensors.golden);
    return tensors;
}

}  // namespace npuscope::compare
