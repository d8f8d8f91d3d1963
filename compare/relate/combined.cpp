#include "compare/relate/combined.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

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

bool is_told(const ListedTensor& tensor) {
    return tensor.sketch.told && tensor.sketch.numel >= kFewInSum && tensor.is_float &&
           tensor.form != RankForm::kTerms;
}

}  // namespace

void relate_sums(Matches& matches) {
    for (const bool of_target : {true, false}) {
        const Listing& own = of_target ? matches.target : matches.golden;
        const Listing& others = of_target ? matches.golden : matches.target;
        const auto partner_of = [&](size_t tensor) {
            return of_target ? matches.partner_of_target(tensor)
                             : matches.partner_of_golden(tensor);
        };
        for (const size_t each : of_target ? matches.free_targets() : matches.free_goldens()) {
            if (!is_told(own.tensors[each])) continue;
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
        double best = kScaledDistance;
        size_t partner = kNoTensor;
        double scale = 1;
        for (const size_t golden : near) {
            const ListedTensor& theirs = matches.golden.tensors[golden];
            if (!matches.is_free_golden(golden) || !is_told(theirs) || theirs.sketch.l2 == 0)
                continue;
            double products = 0;
            for (size_t i = 0; i < Sketch::kFolds; ++i)
                products += double{mine.sketch.folded[i]} * double{theirs.sketch.folded[i]};
            const double sign = products < 0 ? -1 : 1;
            const double factor = sign * mine.sketch.l2 / theirs.sketch.l2;
            if (std::abs(factor - 1) < kNoScale || std::abs(factor) > kMostScale ||
                std::abs(factor) < 1 / kMostScale)
                continue;
            Sketch scaled = theirs.sketch;
            for (float& fold : scaled.folded)
                fold = static_cast<float>(fold * factor);
            scaled.l2 *= std::abs(factor);
            const double distance = distance_of(mine.sketch, scaled, best);
            if (distance >= best) continue;
            best = distance;
            partner = golden;
            scale = factor;
        }
        if (partner == kNoTensor) continue;
        TensorRelation relation = relation_in_order(matches, target, partner);
        relation.kind = RelationKind::kScaled;
        relation.scale = scale;
        relation.distance = best;
        relation.text = fmt::format("the golden's times {:.6g}", scale);
        matches.add(std::move(relation));
    }
}

}  // namespace npuscope::compare
