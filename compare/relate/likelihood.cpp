#include "compare/relate/likelihood.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "compare/relate/arrangements.h"
#include "compare/relate/kinship.h"
#include "compare/relate/loss_multiple.h"
#include "core/base/error.h"
#include "core/naming/aliases.h"
#include "core/naming/casts.h"

namespace npuscope::compare {

namespace {

// What each observation says.
constexpr double kSameShape = 0.4;
constexpr double kOtherShape = -0.3;
constexpr double kSameKind = 0.6;
constexpr double kSameArgument = 0.2;
constexpr double kNear = 1.6;
constexpr double kFar = -0.3;
constexpr double kFarOfOtherKind = -1.8;
constexpr double kSameNeighbours = 1.5;
constexpr double kOtherNeighbours = -0.7;
constexpr double kSameWords = 0.8;
constexpr double kGivenAndMade = -0.6;
/// What holds the same as one of them has a partner that holds something else.
constexpr double kOtherTwin = -1.5;
/// Each tensor that one op takes in and that is nowhere behind the other.
constexpr double kStranger = -0.4;
constexpr double kMostStrange = -1.2;
constexpr double kTermsOfRanks = -0.5;
constexpr double kUnlikeOps = -3;
constexpr double kAkinOps = 0.2;

/// Distances up to here are near, from here on the elements say nothing.
constexpr double kNearDistance = 0.5;
constexpr double kFarDistance = 1.2;
/// What is left of the same places is nearer than this.
constexpr double kMaskedDistance = 0.25;
/// A neighbour of more free tensors than this does not tell them apart.
constexpr size_t kMostNear = 200;

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

/// Whether shards of the first axis, beside each other along another, have the other's shape.
bool are_shards_of(const Shape& shards, const Shape& whole) {
    if (shards.empty()) return false;
    for (size_t axis = 1; axis < shards.size(); ++axis) {
        Shape joined(shards.begin() + 1, shards.end());
        joined[axis - 1] *= shards.front();
        if (without_ones(joined) == without_ones(whole)) return true;
    }
    return false;
}

bool are_alike(const ListedTensor& one, const ListedTensor& other) {
    return without_ones(one.shape) == without_ones(other.shape) ||
           (one.form == RankForm::kShards && are_shards_of(one.shape, other.shape)) ||
           (other.form == RankForm::kShards && are_shards_of(other.shape, one.shape));
}

double overlap(const std::set<std::string>& one, const std::set<std::string>& other) {
    size_t common = 0;
    for (const std::string& word : one)
        common += other.count(word);
    const size_t all = one.size() + other.size() - common;
    return all == 0 ? 0 : static_cast<double>(common) / static_cast<double>(all);
}

bool is_masked(const Sketch& sketch) {
    return static_cast<double>(sketch.nonfinite) > kMaskShare * static_cast<double>(sketch.numel);
}

/// Masked scores are no mask, though the same places are left out of both, nor are they what is
/// made of them. The target's may be at fault.
bool are_masked_otherwise(const ListedTensor& mine, const ListedTensor& theirs) {
    if (mine.sketch.numel != theirs.sketch.numel) return false;
    if (mine.sketch.nonfinite == 0) return is_masked(theirs.sketch);
    return theirs.sketch.nonfinite > 0 &&
           distance_of(mine.sketch, theirs.sketch, kFarDistance) > kMaskedDistance;
}

/// The gradient of a loss that mixed precision scales: 1 times the scale.
bool is_loss_scale(const std::string& kind, const ListedTensor& tensor) {
    int exponent = 0;
    const double value = tensor.sketch.sum;
    return tensor.sketch.numel == 1 && !tensor.is_given() && step_of(kind) == OpStep::kScaling &&
           value >= kLeastLossScale && std::isfinite(value) && std::frexp(value, &exponent) == 0.5;
}

/// zeros() and the like.
bool made_of_nothing(const Listing& side, const ListedTensor& tensor) {
    return !tensor.is_given() && tensor.sketch.l2 == 0 && side.in[tensor.op].empty();
}

}  // namespace

Likelihood::Likelihood(const Matches& matches, const SourcePair& sources, const UsualViews& views)
    : matches_(matches),
      sources_(sources),
      views_(views),
      target_ops_(ops_of(sources.target)),
      golden_ops_(ops_of(sources.golden)),
      roles_(matches, sources) {
    refresh();
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

bool Likelihood::may_pair(size_t target, size_t golden) const {
    const ListedTensor& mine = matches_.target.tensors[target];
    const ListedTensor& theirs = matches_.golden.tensors[golden];
    if (target_ops_[mine.op].kind != golden_ops_[theirs.op].kind &&
        are_masked_otherwise(mine, theirs))
        return false;
    // Of one number the value alone tells what it is.
    if (is_loss_scale(target_ops_[mine.op].kind, mine) !=
        is_loss_scale(golden_ops_[theirs.op].kind, theirs))
        return false;
    // A mask is no number, whatever lies beside it.
    return mine.is_float == theirs.is_float && (mine.sketch.numel == theirs.sketch.numel ||
                                                views_.cut(mine.shape, theirs.shape).has_value());
}

const Sketch& Likelihood::arranged_sketch(bool of_target,
                                          size_t tensor,
                                          const Shape& other,
                                          const std::optional<View>& view) const {
    const ListedTensor& listed = (of_target ? matches_.target : matches_.golden).tensors[tensor];
    if (!view || is_in_order(*view)) return listed.sketch;
    const auto key = std::tuple(of_target, tensor, other);
    if (const auto found = arranged_.find(key); found != arranged_.end()) return found->second;
    Sketch& sketch = arranged_[key];
    sketch = listed.sketch;
    try {
        const Source& source = of_target ? sources_.target : sources_.golden;
        sketch = sketch_of(TensorElements(apply(*view, open_listed(source, listed)->whole())));
    } catch (const Error&) {
        // It stays as it lies.
    }
    return sketch;
}

double Likelihood::elements(size_t target, size_t golden) const {
    const Shape& own = matches_.target.tensors[target].shape;
    const Shape& other = matches_.golden.tensors[golden].shape;
    const auto cut = views_.cut(own, other);
    const Sketch& mine = arranged_sketch(
        true,
        target,
        other,
        cut ? cut->target_view
            : views_.of(matches_.target.tensors[target], matches_.golden.tensors[golden]));
    const Sketch& theirs =
        arranged_sketch(false, golden, own, cut ? cut->golden_view : std::optional<View>());
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

double Likelihood::agreement(const std::vector<size_t>& one, const std::vector<size_t>& other) {
    if (one.empty() || other.empty()) return 0;
    std::vector<size_t> common;
    std::ranges::set_intersection(one, other, std::back_inserter(common));
    if (common.empty()) return kOtherNeighbours;
    const auto all = static_cast<double>(one.size() + other.size() - common.size());
    return kSameNeighbours * std::sqrt(static_cast<double>(common.size()) / all);
}

bool Likelihood::is_otherwise_known(size_t target, size_t golden) const {
    const ListedTensor& mine = matches_.target.tensors[target];
    const ListedTensor& theirs = matches_.golden.tensors[golden];
    if (!mine.sketch.told || !theirs.sketch.told) return false;
    const size_t of_mine = matches_.twin_of_target(target);
    const size_t of_theirs = matches_.twin_of_golden(golden);
    return (of_mine != kNoTensor && of_mine != theirs.twin) ||
           (of_theirs != kNoTensor && of_theirs != mine.twin);
}

double Likelihood::strangers(const Neighbours& mine,
                             size_t one,
                             const Neighbours& theirs,
                             size_t other) {
    if (mine.before[one].empty() || theirs.before[other].empty()) return 0;
    const auto missing = [](const std::vector<size_t>& taken, const std::vector<size_t>& before) {
        return std::ranges::count_if(
            taken, [&](size_t each) { return !std::ranges::binary_search(before, each); });
    };
    const auto all = missing(mine.taken[one], theirs.before[other]) +
                     missing(theirs.taken[other], mine.before[one]);
    return std::max(kMostStrange, kStranger * static_cast<double>(all));
}

void Likelihood::refresh() {
    target_neighbours_ = neighbours_of(matches_, true);
    golden_neighbours_ = neighbours_of(matches_, false);
    near_.clear();
    for (const size_t golden : matches_.free_goldens())
        for (const auto* side : {&golden_neighbours_.before, &golden_neighbours_.after})
            for (const size_t neighbour : (*side)[golden])
                near_[neighbour].push_back(golden);
}

double Likelihood::of(size_t target, size_t golden) const {
    const ListedTensor& mine = matches_.target.tensors[target];
    const ListedTensor& theirs = matches_.golden.tensors[golden];
    if (!may_pair(target, golden)) return -100;
    const Op& op = target_ops_[mine.op];
    const Op& other = golden_ops_[theirs.op];
    double sum = are_alike(mine, theirs) ? kSameShape : kOtherShape;
    sum += mine.form == RankForm::kTerms || theirs.form == RankForm::kTerms ? kTermsOfRanks : 0;
    sum += mine.is_given() == theirs.is_given() ? 0 : kGivenAndMade;
    sum += op.kind == other.kind ? kSameKind : 0;
    sum += mine.argument == theirs.argument ? kSameArgument : 0;
    sum += kSameWords * overlap(op.words, other.words);
    sum += is_otherwise_known(target, golden) ? kOtherTwin : 0;
    const double usual = roles_.usual(target, golden);
    sum += usual;
    const Kinship kinship = sources_.kin.of(mine, theirs);
    sum += usual <= 0 && kinship == Kinship::kUnlike ? kUnlikeOps : 0;
    sum += kinship == Kinship::kAkin ? kAkinOps : 0;
    const double near = elements(target, golden);
    // What only copies on one side is no result of an op that computes, unless elements say so.
    const bool copied = near <= 0 && is_cast(op.kind) != is_cast(other.kind) && !mine.is_given() &&
                        !theirs.is_given();
    // Nor are zeros that an op makes of nothing.
    const bool made = op.kind != other.kind && made_of_nothing(matches_.target, mine) !=
                                                   made_of_nothing(matches_.golden, theirs);
    const bool is_other =
        near < 0 && op.kind != other.kind && usual <= 0 && kinship != Kinship::kAkin;
    sum += is_other || copied || made ? kFarOfOtherKind : near;
    if (!mine.is_given() && !theirs.is_given()) {
        sum += agreement(target_neighbours_.before[target], golden_neighbours_.before[golden]);
        sum += strangers(target_neighbours_, target, golden_neighbours_, golden);
    }
    return sum + agreement(target_neighbours_.after[target], golden_neighbours_.after[golden]);
}

std::vector<size_t> Likelihood::candidates(size_t target) const {
    std::vector<size_t> found;
    for (const auto* side : {&target_neighbours_.before, &target_neighbours_.after})
        for (const size_t neighbour : (*side)[target]) {
            const auto near = near_.find(neighbour);
            // What everything takes in points nowhere.
            if (near == near_.end() || near->second.size() > kMostNear) continue;
            for (const size_t golden : near->second)
                if (matches_.is_free_golden(golden) && may_pair(target, golden))
                    found.push_back(golden);
        }
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

}  // namespace npuscope::compare
