#include "compare/growth/side_distances.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compare/relate/sketch.h"
#include "core/naming/unread.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// What attention adds where nothing is to be seen is that far from zero.
constexpr double kLeastMask = 1e4;

/// No op made it.
constexpr size_t kNobody = std::numeric_limits<size_t>::max();

}  // namespace

void Distance::take(const Distance& other) {
    norm = std::max(norm, other.norm);
    peak = std::max(peak, other.peak);
    scale = std::max(scale, other.scale);
}

Distance distance_of(const TensorResult& tensor, bool is_mask) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const Sums& sums = tensor.sums;
    if (sums.nonfinite_differs > 0 && !is_mask) return {kInfinity, kInfinity, kInfinity};
    if (sums.dd == 0) return {};
    if (sums.gg == 0) return {kInfinity, kInfinity, kInfinity};
    return {std::sqrt(sums.dd / sums.gg),
            sums.max_abs_g > 0 ? sums.max_d / sums.max_abs_g : kInfinity,
            std::abs(sums.tg / sums.gg - 1)};
}

bool is_masked(const TensorResult& tensor) {
    const Sums& sums = tensor.sums;
    const double mask = sums.max_abs_g;
    const double fewest = kMaskShare * static_cast<double>(sums.pairs);
    return mask >= kLeastMask && sums.min_g == -mask && sums.min_t <= -mask / 2 &&
           std::max(sums.max_g, sums.max_t) * kMaskTimes < mask && sums.gg >= fewest * mask * mask;
}

SideDistances::SideDistances(const Side& side,
                             bool of_target,
                             const Plan& plan,
                             const Result& result)
    : side_(side), known_(side.flow.tensors.size()) {
    std::unordered_map<std::string_view, Known> by_path;
    for (const OpResult& op : result.ops)
        for (const TensorResult& tensor : op.tensors) {
            if (tensor.metrics.empty() || is_masked(tensor)) continue;
            Known& known = by_path[of_target ? tensor.target : tensor.golden];
            // What is infinite here is told where it was made.
            known.distance.take(distance_of(tensor, true));
            known.size = std::max(known.size, std::sqrt(tensor.sums.gg));
            known.sum = std::max(
                known.sum, std::sqrt(static_cast<double>(tensor.sums.pairs) * tensor.sums.gg));
        }
    // Seen as the golden's a parameter may be nearer than as it lies.
    for (const TensorTie& tie : plan.given) {
        Known& known =
            by_path
                .try_emplace((of_target ? tie.target : tie.golden).path,
                             Known{.distance = {tie.distance, tie.distance, tie.distance}})
                .first->second;
        if (tie.distance < known.distance.norm)
            known.distance = {tie.distance, tie.distance, tie.distance};
    }
    places_.reserve(known_.size());
    for (size_t i = 0; i < known_.size(); ++i) {
        if (const auto producer = side.tensor(i).producer; producer && is_read(i))
            users_.emplace(*producer, i);
        places_.emplace(side.tensor(i).path, i);
        if (const auto found = by_path.find(side.tensor(i).path); found != by_path.end())
            known_[i] = found->second;
    }
    // What many take in is compared once.
    for (size_t i = 0; i < known_.size(); ++i)
        if (const auto given = side.tensor(i).given; given && known_[i] && !known_[*given])
            known_[*given] = known_[i];
}

bool SideDistances::is_input(std::string_view path) const {
    const auto found = places_.find(path);
    return found != places_.end() && side_.tensor(found->second).direction == Direction::kInput;
}

bool SideDistances::is_given(const SourceOp* op, std::string_view path) const {
    const auto found = places_.find(path);
    if (found == places_.end()) return false;
    const auto given = side_.tensor(found->second).given;
    return std::ranges::any_of(side_.flow.of_op(index_of(op)), [&](const TracedTensor& tensor) {
        return tensor.path == path || (given && tensor.given == given);
    });
}

int64_t SideDistances::numel_of(std::string_view path) const {
    const auto found = places_.find(path);
    return found == places_.end() ? 0 : npuscope::numel_of(side_.tensor(found->second).shape);
}

std::optional<Distance> SideDistances::distance_at(std::string_view path) const {
    const auto found = places_.find(path);
    if (found == places_.end()) return std::nullopt;
    const auto known = known_of(found->second);
    return known ? std::optional(known->distance) : std::nullopt;
}

const SourceOp* SideDistances::maker_of(std::string_view path) const {
    const auto found = places_.find(path);
    if (found == places_.end()) return nullptr;
    const auto producer = side_.tensor(found->second).producer;
    return producer ? op_at(side_.tensor(*producer).op) : nullptr;
}

std::vector<const SourceOp*> SideDistances::users_of(std::string_view path) const {
    std::vector<const SourceOp*> users;
    const auto found = places_.find(path);
    if (found == places_.end()) return users;
    const auto [first, last] = users_.equal_range(found->second);
    for (auto each = first; each != last; ++each)
        users.push_back(op_at(side_.tensor(each->second).op));
    return users;
}

std::vector<const SourceOp*> SideDistances::users_of(const SourceOp* op) const {
    std::vector<const SourceOp*> users;
    const size_t index = index_of(op);
    for (size_t i = side_.flow.first[index]; i < side_.flow.first[index + 1]; ++i) {
        const auto [first, last] = users_.equal_range(i);
        for (auto each = first; each != last; ++each)
            users.push_back(op_at(side_.tensor(each->second).op));
    }
    return users;
}

std::optional<SideDistances::Known> SideDistances::known_of(size_t tensor) const {
    const TracedTensor& traced = side_.tensor(tensor);
    const auto elsewhere = traced.producer ? traced.producer : traced.given;
    if (!elsewhere || !known_[*elsewhere]) return known_[tensor];
    // Inputs may lie otherwise than what they are held against.
    const bool is_nearer =
        !known_[tensor] || known_[*elsewhere]->distance.norm < known_[tensor]->distance.norm;
    return known_[is_nearer ? *elsewhere : tensor];
}

bool SideDistances::is_read(size_t input) const {
    const TracedTensor& tensor = side_.tensor(input);
    return !is_unread(side_.source.ops[tensor.op].id.op, tensor.argument);
}

bool SideDistances::has_inputs(size_t op) const {
    return std::ranges::any_of(side_.flow.of_op(op), [](const TracedTensor& tensor) {
        return tensor.direction == Direction::kInput;
    });
}

void SideDistances::follow(size_t op, const std::unordered_set<size_t>& own, Entry& entry) const {
    for (size_t i = side_.flow.first[op]; i < side_.flow.first[op + 1]; ++i) {
        const TracedTensor& tensor = side_.tensor(i);
        if (tensor.direction != Direction::kInput || !is_read(i)) continue;
        const size_t maker = tensor.producer ? side_.tensor(*tensor.producer).op : kNobody;
        if (own.contains(maker)) continue;
        if (const auto known = known_of(i)) {
            entry.worst.take(known->distance);
            entry.sum = std::max(entry.sum, known->sum);
            entry.size = std::max(entry.size, known->size);
            if (maker == kNobody && known->distance.norm > entry.given_distance) {
                entry.given = i;
                entry.given_distance = known->distance.norm;
            }
        } else if (maker == kNobody) {
            entry.is_known = entry.is_known && tensor.ambiguous;
        } else if (entry.crossed.insert(maker).second) {
            follow(maker, own, entry);
        }
    }
}

Entry SideDistances::into(const std::vector<const SourceOp*>& ops) const {
    std::unordered_set<size_t> own;
    for (const SourceOp* op : ops)
        own.insert(index_of(op));
    Entry entry;
    entry.is_known = std::ranges::any_of(own, [&](size_t op) { return has_inputs(op); });
    for (const SourceOp* op : ops)
        follow(index_of(op), own, entry);
    return entry;
}

}  // namespace npuscope::compare
