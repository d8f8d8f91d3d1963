#include "compare/relate/likelihood.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "compare/relate/arrangements.h"
#include "core/base/error.h"
#include "core/naming/aliases.h"

namespace npuscope::compare {

namespace {

// What each observation says.
constexpr double kSameShape = 0.4;
constexpr double kOtherShape = -0.3;
constexpr double kSameKind = 0.6;
constexpr double kSameArgument = 0.2;
constexpr double kNear = 1.6;
constexpr double kFar = -0.3;
constexpr double kSameNeighbours = 1.5;
constexpr double kOtherNeighbours = -0.7;
constexpr double kSameWords = 0.8;
constexpr double kGivenAndMade = -1.2;

/// Distances up to here are near, from here on the elements say nothing.
constexpr double kNearDistance = 0.5;
constexpr double kFarDistance = 1.2;
/// Users of a tensor that are looked at.
constexpr size_t kMostUsers = 6;

/// Letters, and numbers, of a name, each once: "layers.0.attn" is "layers", "0", "attn".
std::set<std::string> words_of(const std::string& name) {
    std::set<std::string> words;
    std::string word;
    const auto flush = [&] {
        if (!word.empty()) words.insert(word);
        word.clear();
    };
    for (const char c : name) {
        const auto letter = static_cast<unsigned char>(c);
        if (std::isalnum(letter) == 0) {
            flush();
            continue;
        }
        const bool turns =
            !word.empty() && (std::isdigit(letter) != 0) !=
                                 (std::isdigit(static_cast<unsigned char>(word.back())) != 0);
        if (turns) flush();
        word += static_cast<char>(std::tolower(letter));
    }
    flush();
    return words;
}

double overlap(const std::set<std::string>& one, const std::set<std::string>& other) {
    size_t common = 0;
    for (const std::string& word : one)
        common += other.count(word);
    const size_t all = one.size() + other.size() - common;
    return all == 0 ? 0 : static_cast<double>(common) / static_cast<double>(all);
}

bool holds(const std::vector<size_t>& list, size_t value) {
    return std::ranges::find(list, value) != list.end();
}

}  // namespace

Likelihood::Likelihood(const Matches& matches, const SourcePair& sources, const UsualViews& views)
    : matches_(matches),
      sources_(sources),
      views_(views),
      target_ops_(ops_of(sources.target)),
      golden_ops_(ops_of(sources.golden)),
      golden_ops_of_(matches.golden.tensors.size()) {
    for (size_t op = 0; op < golden_ops_.size(); ++op) {
        for (const auto* list : {&matches.golden.in[op], &matches.golden.out[op]})
            for (const size_t tensor : *list)
                golden_ops_of_[tensor].push_back(op);
    }
}

std::vector<Likelihood::Op> Likelihood::ops_of(const Source& source) {
    std::vector<Op> ops;
    ops.reserve(source.ops.size());
    for (const SourceOp& op : source.ops) {
        std::string place;
        try {
            if (op.place) place = op.place().module;
        } catch (const Error&) {
            // Told where the op is compared.
        }
        ops.push_back({.kind = std::string(canonical_name(op.op())),
                       .words = words_of(source.numbered ? place : op.path + "." + place)});
    }
    return ops;
}

const Sketch& Likelihood::arranged_sketch(size_t target, const Shape& golden) const {
    const ListedTensor& tensor = matches_.target.tensors[target];
    if (without_ones(tensor.shape) == without_ones(golden)) {
        const auto same = views_.of(tensor.shape, golden);
        if (!same || is_in_order(*same)) return tensor.sketch;
    }
    const auto key = std::pair(target, golden);
    if (const auto found = arranged_.find(key); found != arranged_.end()) return found->second;
    Sketch& sketch = arranged_[key];
    sketch = tensor.sketch;
    const auto view = views_.of(tensor.shape, golden);
    if (!view || is_in_order(*view)) return sketch;
    try {
        const Tensor elements = open_listed(sources_.target, tensor)->whole();
        sketch = sketch_of(TensorElements(apply(*view, elements)));
    } catch (const Error&) {
        // It stays as it lies.
    }
    return sketch;
}

double Likelihood::elements(size_t target, size_t golden) const {
    const ListedTensor& other = matches_.golden.tensors[golden];
    const Sketch& theirs = other.sketch;
    const Sketch& mine = arranged_sketch(target, other.shape);
    if (!mine.told || !theirs.told) {
        const bool equal = mine.told == theirs.told &&
                           std::abs(mine.sum - theirs.sum) <= 0.01 * std::max(mine.l1, theirs.l1);
        return equal ? kSameArgument : 0;
    }
    const double whole = compare::distance_of(mine, theirs, kFarDistance);
    const double sampled = sampled_distance(mine, theirs);
    const double distance = std::min(whole, sampled);
    if (distance < kNearDistance) return kNear * (1 - distance / kNearDistance);
    return distance > kFarDistance ? kFar : 0;
}

int64_t Likelihood::links(size_t target_op, size_t golden_op) const {
    int64_t count = 0;
    for (const auto* list : {&matches_.target.in[target_op], &matches_.target.out[target_op]})
        for (const size_t tensor : *list) {
            const size_t partner = matches_.partner_of_target(tensor);
            if (partner != kNoTensor && (holds(matches_.golden.in[golden_op], partner) ||
                                         holds(matches_.golden.out[golden_op], partner)))
                ++count;
        }
    return count;
}

bool Likelihood::has_pairs(size_t op, bool of_target) const {
    const Listing& side = of_target ? matches_.target : matches_.golden;
    for (const auto* list : {&side.in[op], &side.out[op]})
        for (const size_t tensor : *list)
            if ((of_target ? matches_.partner_of_target(tensor)
                           : matches_.partner_of_golden(tensor)) != kNoTensor)
                return true;
    return false;
}

double Likelihood::makers(size_t target_op, size_t golden_op) const {
    int64_t paired = 0;
    int64_t common = 0;
    for (const size_t input : matches_.target.in[target_op]) {
        const size_t partner = matches_.partner_of_target(input);
        if (partner == kNoTensor) continue;
        ++paired;
        common += holds(matches_.golden.in[golden_op], partner) ? 1 : 0;
    }
    if (common > 0)
        return kSameNeighbours * static_cast<double>(common) / static_cast<double>(paired);
    return paired > 0 && has_pairs(golden_op, false) ? kOtherNeighbours : 0;
}

double Likelihood::users(size_t target, size_t golden) const {
    const auto& mine = matches_.target.tensors[target].users;
    const auto& theirs = matches_.golden.tensors[golden].users;
    bool any_mine = false;
    bool any_theirs = false;
    for (size_t i = 0; i < std::min(kMostUsers, mine.size()); ++i) {
        any_mine = any_mine || has_pairs(mine[i], true);
        for (size_t j = 0; j < std::min(kMostUsers, theirs.size()); ++j) {
            any_theirs = any_theirs || has_pairs(theirs[j], false);
            if (links(mine[i], theirs[j]) > 0) return kSameNeighbours;
        }
    }
    return any_mine && any_theirs ? kOtherNeighbours : 0;
}

double Likelihood::of(size_t target, size_t golden) const {
    const ListedTensor& mine = matches_.target.tensors[target];
    const ListedTensor& theirs = matches_.golden.tensors[golden];
    if (mine.sketch.numel != theirs.sketch.numel) return -100;
    const Op& op = target_ops_[mine.op];
    const Op& other = golden_ops_[theirs.op];
    double sum = without_ones(mine.shape) == without_ones(theirs.shape) ? kSameShape : kOtherShape;
    sum += mine.is_given() == theirs.is_given() ? 0 : kGivenAndMade;
    sum += op.kind == other.kind ? kSameKind : 0;
    sum += mine.argument == theirs.argument ? kSameArgument : 0;
    sum += kSameWords * overlap(op.words, other.words);
    sum += elements(target, golden);
    if (!mine.is_given() && !theirs.is_given()) sum += makers(mine.op, theirs.op);
    return sum + users(target, golden);
}

std::vector<size_t> Likelihood::linked(size_t op) const {
    std::vector<size_t> ops;
    for (const auto* list : {&matches_.target.in[op], &matches_.target.out[op]})
        for (const size_t tensor : *list) {
            const size_t partner = matches_.partner_of_target(tensor);
            if (partner == kNoTensor) continue;
            // What everything takes in points nowhere.
            if (golden_ops_of_[partner].size() > 4 * kMostUsers) continue;
            for (const size_t other : golden_ops_of_[partner])
                ops.push_back(other);
        }
    std::ranges::sort(ops);
    ops.erase(std::unique(ops.begin(), ops.end()), ops.end());
    return ops;
}

std::vector<size_t> Likelihood::candidates(size_t target) const {
    const ListedTensor& tensor = matches_.target.tensors[target];
    std::vector<size_t> found;
    const auto take = [&](size_t op) {
        for (const size_t other : linked(op))
            for (const auto* list : {&matches_.golden.in[other], &matches_.golden.out[other]})
                for (const size_t golden : *list)
                    if (matches_.is_free_golden(golden) &&
                        matches_.golden.tensors[golden].sketch.numel == tensor.sketch.numel)
                        found.push_back(golden);
    };
    take(tensor.op);
    for (size_t i = 0; i < std::min(kMostUsers, tensor.users.size()); ++i)
        take(tensor.users[i]);
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

}  // namespace npuscope::compare
