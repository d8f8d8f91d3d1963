#include "diagnose/judge/replay_partners.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_set>
#include <utility>

#include "compare/align/span_tensors.h"
#include "compare/dataflow/trace.h"
#include "core/base/error.h"
#include "core/naming/unread.h"
#include "diagnose/judge/replay_distance.h"
#include "diagnose/judge/replay_numbers.h"

namespace npuscope::diagnose {

namespace {

using compare::TracedTensor;
using dumpfile::Direction;

Tensor wide(const Tensor& tensor) {
    return is_float(tensor.dtype()) ? tensor.cast(DType::kFloat64) : tensor;
}

/// Of what is allowed: what is made of a result in a small step is farther off than rounding.
constexpr double kOfLater = 0.1;

/// The golden's tensor is all that the tie speaks of.
bool is_whole(const compare::TensorTie& tie) {
    return !tie.golden_view && tie.more_golden.empty() && tie.more_target.empty() && tie.scale == 1;
}

/// Results of floats, by shape, of ops without partner of which no op reads anything: the ones that
/// a backward pass begins with are like its loss, and nothing of it.
std::multimap<Shape, size_t> lone_ends(const compare::Side& side,
                                       const std::unordered_set<const SourceOp*>& lone) {
    std::unordered_set<size_t> used;
    for (const TracedTensor& tensor : side.flow.tensors)
        if (tensor.producer && !is_unread(side.source.ops[tensor.op].id.op, tensor.argument))
            used.insert(side.tensor(*tensor.producer).op);
    std::multimap<Shape, size_t> ends;
    for (size_t i = 0; i < side.flow.tensors.size(); ++i) {
        const TracedTensor& tensor = side.tensor(i);
        const auto dtype = dtype_from_name(tensor.dtype);
        if (tensor.direction == Direction::kOutput && tensor.content &&
            (tensor.content->numel == 1 || !tensor.content->constant) && dtype &&
            is_float(*dtype) && lone.contains(&side.source.ops[tensor.op]) &&
            !used.contains(tensor.op))
            ends.emplace(tensor.shape, i);
    }
    return ends;
}

}  // namespace

Tensor wide_tensor(const compare::Side& side, size_t tensor) {
    return wide(compare::open_traced(side.source, side.flow, tensor)->whole());
}

ReplayPartners::ReplayPartners(const compare::PairedFlows& flows) : flows_(flows) {
    const compare::Side& golden = flows.golden();
    std::unordered_map<std::string, size_t> places;
    for (size_t i = 0; i < golden.flow.tensors.size(); ++i)
        places.emplace(golden.flow.tensors[i].path, i);
    const auto& ops = flows.plan().ops;
    const bool dumps = flows.target().source.numbered && golden.source.numbered;
    for (size_t pair = 0; pair < ops.size(); ++pair) {
        if (ops[pair].target == nullptr || ops[pair].golden == nullptr) continue;
        compare::BothTensors both;
        try {
            both = compare::tensors_of(ops[pair]);
        } catch (const Error&) {
            continue;
        }
        for (const auto& [target, theirs, tie] :
             compare::pair_tensors(ops[pair], both.target, both.golden, dumps)) {
            if (target == nullptr || theirs == nullptr || !target->open ||
                theirs->direction != Direction::kOutput || (tie != nullptr && !is_whole(*tie)))
                continue;
            if (const auto place = places.find(theirs->path); place != places.end())
                partners_.emplace(
                    place->second,
                    Partner{.pair = pair,
                            .op = static_cast<size_t>(ops[pair].target -
                                                      flows.target().source.ops.data()),
                            .path = target->path,
                            .dtype = dtype_from_name(target->dtype).value_or(DType::kFloat32),
                            .read = [open = target->open] { return open()->whole(); }});
        }
    }
    pair_lone_ends();
    for (const auto& [result, partner] : partners_)
        results_.emplace(partner.path, result);
}

void ReplayPartners::pair_lone_ends() {
    if (!flows_.target().source.may_have_inputs()) return;
    const auto& ops = flows_.plan().ops;
    std::unordered_map<const SourceOp*, size_t> places;
    std::unordered_set<const SourceOp*> targets;
    std::unordered_set<const SourceOp*> goldens;
    for (size_t pair = 0; pair < ops.size(); ++pair) {
        if (ops[pair].golden == nullptr) targets.insert(ops[pair].target);
        if (ops[pair].target == nullptr) goldens.insert(ops[pair].golden);
        places.emplace(ops[pair].target, pair);
    }
    const std::multimap<Shape, size_t> theirs = lone_ends(flows_.golden(), goldens);
    const std::multimap<Shape, size_t> mine = lone_ends(flows_.target(), targets);
    for (const auto& [shape, golden] : theirs) {
        if (theirs.count(shape) != 1 || mine.count(shape) != 1) continue;
        const size_t target = mine.find(shape)->second;
        const TracedTensor& made = flows_.target().tensor(target);
        partners_.emplace(
            golden,
            Partner{.pair = places.at(&flows_.target().source.ops[made.op]),
                    .op = made.op,
                    .path = made.path,
                    .dtype = dtype_from_name(made.dtype).value_or(DType::kFloat32),
                    .read = [this, target] { return wide_tensor(flows_.target(), target); }});
    }
}

const ReplayPartners::Partner* ReplayPartners::of(size_t result) const {
    const auto found = partners_.find(result);
    return found == partners_.end() ? nullptr : &found->second;
}

std::optional<Tensor> ReplayPartners::elements(size_t result) const {
    const Partner* partner = of(result);
    if (partner == nullptr) return std::nullopt;
    const Tensor found = wide(partner->read());
    const Shape& shape = flows_.golden().tensor(result).shape;
    if (found.numel() != numel_of(shape)) return std::nullopt;
    return found.reshaped(shape);
}

bool ReplayPartners::belongs_to_later(const std::string& path, size_t result) const {
    const auto [first, last] = results_.equal_range(path);
    return first != last &&
           std::all_of(first, last, [&](const auto& each) { return each.second > result; });
}

void ReplayPartners::replace(size_t result, Partner partner) {
    partners_[result] = std::move(partner);
}

std::optional<ReplayPartners::Partner> ReplayPartners::elsewhere(size_t result,
                                                                 const Tensor& elements,
                                                                 double allowed) const {
    if (elements.dtype() != DType::kFloat64 || elements.numel() == 0) return std::nullopt;
    // Axes in another order leave the first element the first.
    const double first = elements.as<double>()[0];
    double largest = 0;
    for (const double each : elements.as<double>())
        largest = std::max(largest, std::abs(each));
    const compare::Side& target = flows_.target();
    for (size_t i = 0; i < target.flow.tensors.size(); ++i) {
        const TracedTensor& tensor = target.tensor(i);
        if (tensor.direction != Direction::kOutput || !tensor.content ||
            tensor.content->numel != elements.numel() ||
            !(std::abs(tensor.content->first - first) <= allowed * largest))
            continue;
        const bool is_of_later = allowed > kTight && belongs_to_later(tensor.path, result);
        const Tensor theirs = wide_tensor(target, i);
        if (auto view =
                arrangement_within(theirs, elements, is_of_later ? kOfLater * allowed : allowed))
            return Partner{.op = tensor.op,
                           .path = tensor.path,
                           .read = [&target, i, view = std::move(*view)] {
                               return compare::apply(view, wide_tensor(target, i));
                           }};
    }
    return std::nullopt;
}

}  // namespace npuscope::diagnose
