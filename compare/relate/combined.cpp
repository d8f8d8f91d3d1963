#include "compare/relate/combined.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "compare/relate/loss_multiple.h"
#include "core/naming/casts.h"

namespace npuscope::compare {

namespace {

/// How many tensors on either side of the place where a partner would stand are looked at.
constexpr size_t kReach = 32;
/// Of fewer elements than this a sum is met by chance.
constexpr int64_t kFewInSum = 64;
constexpr double kSumDistance = 0.01;
constexpr double kScaledDistance = 0.01;
/// Numbers nearer to 1 than this are rounding.
constexpr double kNoScale = 0.05;
constexpr double kMostScale = 1e4;
constexpr double kMostLossScale = 0x1p24;

/// The other side's tensors of this numel around where `tensor` would stand.
template <class Partner>
std::vector<size_t> around(const Listing& own,
                           const Listing& others,
                           size_t tensor,
                           const Partner& partner_of) {
    size_t middle = others.tensors.size() * tensor / std::max<size_t>(1, own.tensors.size());
    for (size_t off = 0; off < own.tensors.size(); ++off) {
        const size_t before = tensor >= off ? partner_of(tensor - off) : kNoTensor;
        const size_t after =
            tensor + off < own.tensors.size() ? partner_of(tensor + off) : kNoTensor;
        if (before == kNoTensor && after == kNoTensor) continue;
        middle = before != kNoTensor ? before : after;
        break;
    }
    std::vector<size_t> found;
    const size_t first = middle > kReach ? middle - kReach : 0;
    for (size_t i = first; i < std::min(others.tensors.size(), middle + kReach); ++i) {
        const Sketch& sketch = others.tensors[i].sketch;
        const bool is_one = others.tensors[i].form != RankForm::kMaybeCopy &&
                            others.tensors[i].form != RankForm::kTerms;
        if (sketch.numel == own.tensors[tensor].sketch.numel && sketch.told && is_one)
            found.push_back(i);
    }
    return found;
}

Sketch sum_of(const Sketch& a, const Sketch& b) {
    Sketch sum = a;
    double squares = 0;
    for (size_t i = 0; i < Sketch::kFolds; ++i) {
        sum.folded[i] += b.folded[i];
        squares += double{sum.folded[i]} * double{sum.folded[i]};
    }
    sum.l2 = std::sqrt(squares);
    return sum;
}

/// A golden tensor of which a target's is nearly a multiple.
struct Multiple {
    size_t partner = kNoTensor;
    double factor = 1;
    bool is_loss_scale = false;  ///< what mixed precision multiplies all gradients by
    double distance = kScaledDistance;

    /// Products with a constant are multiples as well.
    [[nodiscard]] bool is_better_than(const Multiple& other) const {
        if (partner == kNoTensor || !(distance < kScaledDistance)) return false;
        if (is_loss_scale != other.is_loss_scale) return is_loss_scale;
        return distance < other.distance;
    }
};

bool is_loss_scale(double factor) {
    const double multiple = std::max(factor, 1 / factor);
    return multiple >= kLeastLossScale && multiple <= kMostLossScale &&
           std::abs(multiple / std::exp2(std::round(std::log2(multiple))) - 1) < kScaledDistance;
}

/// Without partner where the factor is none that a program multiplies by.
Multiple multiple_of(const Sketch& mine, const Sketch& theirs, size_t golden) {
    double products = 0;
    for (size_t i = 0; i < Sketch::kFolds; ++i)
        products += double{mine.folded[i]} * double{theirs.folded[i]};
    const double factor = (products < 0 ? -1 : 1) * mine.l2 / theirs.l2;
    const double size = std::abs(factor);
    Multiple multiple{.factor = factor, .is_loss_scale = is_loss_scale(factor)};
    if (std::abs(factor - 1) < kNoScale ||
        (!multiple.is_loss_scale && (size > kMostScale || size < 1 / kMostScale)))
        return multiple;
    Sketch scaled = theirs;
    for (float& fold : scaled.folded)
        fold = static_cast<float>(fold * factor);
    scaled.l2 *= size;
    multiple.partner = golden;
    multiple.distance = distance_of(mine, scaled, kScaledDistance);
    return multiple;
}

bool is_told(const ListedTensor& tensor) {
    return tensor.sketch.told && tensor.sketch.numel >= kFewInSum && tensor.is_float &&
           tensor.form != RankForm::kTerms;
}

}  // namespace

void relate_sums(Matches& matches, const SourcePair& sources) {
    for (const bool of_target : {true, false}) {
        const Source& source = of_target ? sources.target : sources.golden;
        const Listing& own = of_target ? matches.target : matches.golden;
        const Listing& others = of_target ? matches.golden : matches.target;
        const auto partner_of = [&](size_t tensor) {
            return of_target ? matches.partner_of_target(tensor)
                             : matches.partner_of_golden(tensor);
        };
        for (const size_t each : of_target ? matches.free_targets() : matches.free_goldens()) {
            if (!is_told(own.tensors[each]) || is_cast(source.ops[own.tensors[each].op].id.op))
                continue;
            const Sketch& sketch = own.tensors[each].sketch;
            const std::vector<size_t> near = around(own, others, each, partner_of);
            double best = kSumDistance;
            std::pair<size_t, size_t> terms(kNoTensor, kNoTensor);
            for (size_t i = 0; i < near.size(); ++i)
                for (size_t j = i + 1; j < near.size(); ++j) {
                    const Sketch& one = others.tensors[near[i]].sketch;
                    const Sketch& other = others.tensors[near[j]].sketch;
                    if (std::min(one.l2, other.l2) < kNoScale * sketch.l2) continue;
                    const double distance = distance_of(sum_of(one, other), sketch, best);
                    if (distance >= best) continue;
                    best = distance;
                    terms = {near[i], near[j]};
                }
            if (terms.first == kNoTensor) continue;
            TensorRelation relation{.target = of_target ? each : terms.first,
                                    .golden = of_target ? terms.first : each,
                                    .kind = RelationKind::kSum,
                                    .distance = best,
                                    .text = "sum of " + others.tensors[terms.first].path + " and " +
                                            others.tensors[terms.second].path};
            (of_target ? relation.more_golden : relation.more_target) = {terms.second};
            matches.add_sum(std::move(relation));
        }
    }
}

void pair_scaled(Matches& matches) {
    for (const size_t target : matches.free_targets()) {
        const ListedTensor& mine = matches.target.tensors[target];
        if (!is_told(mine) || mine.sketch.l2 == 0) continue;
        const auto near = around(matches.target, matches.golden, target, [&](size_t tensor) {
            return matches.partner_of_target(tensor);
        });
        Multiple best;
        for (const size_t golden : near) {
            const ListedTensor& theirs = matches.golden.tensors[golden];
            if (!matches.is_free_golden(golden) || !is_told(theirs) || theirs.sketch.l2 == 0)
                continue;
            const Multiple multiple = multiple_of(mine.sketch, theirs.sketch, golden);
            if (multiple.is_better_than(best)) best = multiple;
        }
        if (best.partner == kNoTensor) continue;
        TensorRelation relation = relation_in_order(matches, target, best.partner);
        relation.kind = RelationKind::kScaled;
        relation.scale = best.factor;
        relation.distance = best.distance;
        relation.text = fmt::format("the golden's times {:.6g}", best.factor);
        matches.add(std::move(relation));
    }
}

}  // namespace npuscope::compare
