#include "compare/relate/place.h"

#include <algorithm>
#include <map>
#include <utility>

#include "compare/relate/arrangements.h"
#include "compare/relate/likelihood.h"
#include "compare/relate/moved.h"
#include "compare/relate/usual_views.h"
#include "core/base/error.h"

namespace npuscope::compare {

namespace {

/// What has to speak for a pair, round by round: the surest come first and lead to others.
constexpr double kRounds[] = {2.6, 2.0, 1.6, Likelihood::kLeast, Likelihood::kLeast};
/// The best of several candidates has to be better by this.
constexpr double kMargin = 0.25;
constexpr size_t kMostCells = size_t{1} << 22;
/// Elements that are so far apart do not say how they are arranged.
constexpr double kTellingDistance = 0.7;
/// Pairs of equal shape, farther apart than this, may be arranged in another way.
constexpr double kDoubtful = 0.5;
/// Another view than the usual one has to bring elements so much nearer.
constexpr double kClearlyNearer = 0.05;

class Places {
  public:
    Places(Matches& matches, const SourcePair& sources)
        : matches_(matches), sources_(sources), likelihood_(matches, sources, views_) {
        for (const TensorRelation& relation : matches.relations())
            views_.learn(matches.target.tensors[relation.target],
                         matches.golden.tensors[relation.golden],
                         relation);
    }

    void pair() {
        for (const double least : kRounds) {
            while (pair_neighbours())
                likelihood_.refresh();
            likelihood_.refresh();
            pair_gaps(least);
            likelihood_.refresh();
        }
    }

  private:
    struct Choice {
        size_t other = kNoTensor;
        double best = -100;
        double next = -100;
        void take(size_t candidate, double score) {
            if (score > best) {
                next = best;
                best = score;
                other = candidate;
            } else {
                next = std::max(next, score);
            }
        }
    };

    /// Whether any was paired.
    bool pair_neighbours() {
        std::map<size_t, Choice> of_target;
        std::map<size_t, Choice> of_golden;
        for (const size_t target : matches_.free_targets())
            for (const size_t golden : likelihood_.candidates(target)) {
                const double score = likelihood_.of(target, golden);
                if (score < Likelihood::kLeast) continue;
                of_target[target].take(golden, score);
                of_golden[golden].take(target, score);
            }
        bool any = false;
        for (const auto& [target, choice] : of_target) {
            const Choice& back = of_golden[choice.other];
            if (choice.best < Likelihood::kSure || back.other != target) continue;
            if (choice.best < choice.next + kMargin || back.best < back.next + kMargin) continue;
            if (matches_.is_free_target(target) && matches_.is_free_golden(choice.other))
                any = add(target, choice.other) || any;
        }
        return any;
    }

    /// Pairs that are in order on both sides, as many as there are.
    [[nodiscard]] std::vector<std::pair<size_t, size_t>> backbone() const {
        std::vector<std::pair<size_t, size_t>> pairs;
        for (size_t i = 0; i < matches_.target.tensors.size(); ++i)
            if (const size_t partner = matches_.partner_of_target(i); partner != kNoTensor)
                pairs.emplace_back(i, partner);
        // The longest ascending run (Fredman, 1975): of each length the run with the least end.
        std::vector<size_t> ends;
        std::vector<size_t> before(pairs.size(), kNoTensor);
        for (size_t i = 0; i < pairs.size(); ++i) {
            const auto at = std::ranges::lower_bound(
                ends, pairs[i].second, {}, [&](size_t end) { return pairs[end].second; });
            if (at != ends.begin()) before[i] = *(at - 1);
            if (at == ends.end()) {
                ends.push_back(i);
            } else {
                *at = i;
            }
        }
        std::vector<std::pair<size_t, size_t>> run;
        for (size_t i = ends.empty() ? kNoTensor : ends.back(); i != kNoTensor; i = before[i])
            run.push_back(pairs[i]);
        std::ranges::reverse(run);
        return run;
    }

    void pair_gaps(double least) {
        auto anchors = backbone();
        anchors.emplace_back(matches_.target.tensors.size(), matches_.golden.tensors.size());
        size_t first_target = 0;
        size_t first_golden = 0;
        for (const auto& [target, golden] : anchors) {
            pair_gap(
                free_in(first_target, target, true), free_in(first_golden, golden, false), least);
            first_target = target + 1;
            first_golden = golden + 1;
        }
    }

    [[nodiscard]] std::vector<size_t> free_in(size_t first, size_t last, bool of_target) const {
        std::vector<size_t> free;
        for (size_t i = first; i < last; ++i)
            if (of_target ? matches_.is_free_target(i) : matches_.is_free_golden(i))
                free.push_back(i);
        return free;
    }

    void pair_gap(const std::vector<size_t>& mine,
                  const std::vector<size_t>& theirs,
                  double least) {
        const size_t width = theirs.size() + 1;
        if (mine.empty() || theirs.empty() || (mine.size() + 1) * width > kMostCells) return;
        std::vector<double> gain(mine.size() * theirs.size(), 0);
        std::vector<double> best((mine.size() + 1) * width, 0);
        for (size_t i = 0; i < mine.size(); ++i)
            for (size_t j = 0; j < theirs.size(); ++j) {
                if (likelihood_.may_pair(mine[i], theirs[j]))
                    gain[i * theirs.size() + j] = likelihood_.of(mine[i], theirs[j]) - least;
                const double here = gain[i * theirs.size() + j];
                double& cell = best[(i + 1) * width + j + 1];
                cell = std::max(best[i * width + j + 1], best[(i + 1) * width + j]);
                if (here > 0) cell = std::max(cell, best[i * width + j] + here);
            }
        size_t i = mine.size();
        size_t j = theirs.size();
        std::vector<std::pair<size_t, size_t>> pairs;
        while (i > 0 && j > 0) {
            const double cell = best[i * width + j];
            if (cell == best[(i - 1) * width + j]) {
                --i;
            } else if (cell == best[i * width + j - 1]) {
                --j;
            } else {
                pairs.emplace_back(mine[--i], theirs[--j]);
            }
        }
        for (const auto& [target, golden] : pairs)
            if (matches_.is_free_target(target) && matches_.is_free_golden(golden))
                add(target, golden);
    }

    bool add(size_t target, size_t golden) {
        const ListedTensor& mine = matches_.target.tensors[target];
        const ListedTensor& theirs = matches_.golden.tensors[golden];
        if (auto cut = views_.cut(mine.shape, theirs.shape)) {
            cut->target = target;
            cut->golden = golden;
            cut->distance = 0;
            cut->by_place = true;
            matches_.add(std::move(*cut));
            return true;
        }
        TensorRelation relation = relation_in_order(matches_, target, golden);
        relation.distance = std::min(distance_of(mine.sketch, theirs.sketch),
                                     sampled_distance(mine.sketch, theirs.sketch));
        const bool are_shards = mine.form == RankForm::kShards || theirs.form == RankForm::kShards;
        const bool is_doubtful = relation.distance > kDoubtful;
        const auto view =
            are_shards || is_doubtful ? likely_view(target, golden) : std::optional<View>();
        if (are_shards && view && !is_in_order(*view)) {
            take_view(*view, mine.shape, relation);
        } else if (is_doubtful) {
            if (auto found = arranged(matches_, sources_, target, golden, kTellingDistance)) {
                relation = std::move(*found);
            } else if (view) {
                take_view(*view, mine.shape, relation);
            } else if (mine.shape != theirs.shape) {
                relation.kind = RelationKind::kUnlike;
            }
        }
        relation.by_place = true;
        matches_.add(std::move(relation));
        return true;
    }

    /// Of the usual views of their shapes the one through which their elements are nearest.
    [[nodiscard]] std::optional<View> likely_view(size_t target, size_t golden) const {
        const ListedTensor& mine = matches_.target.tensors[target];
        const ListedTensor& theirs = matches_.golden.tensors[golden];
        const std::vector<View> views = views_.all_of(mine, theirs);
        if (views.empty()) return std::nullopt;
        if (views.size() == 1) return views.front();
        try {
            const auto elements = open_listed_for_many(sources_.target, mine);
            const auto others = open_listed_for_many(sources_.golden, theirs);
            size_t nearest = 0;
            double least = distance_through(views.front(), *elements, *others) - kClearlyNearer;
            for (size_t i = 1; i < views.size(); ++i)
                if (const double distance = distance_through(views[i], *elements, *others, least);
                    distance < least) {
                    nearest = i;
                    least = distance;
                }
            return views[nearest];
        } catch (const Error&) {
            return views.front();
        }
    }

    static void take_view(View view, const Shape& source, TensorRelation& relation) {
        if (is_in_order(view)) return;
        relation.kind = RelationKind::kPermuted;
        relation.text = text_of(view, source);
        relation.target_view = std::move(view);
    }

    Matches& matches_;
    const SourcePair& sources_;
    UsualViews views_;
    Likelihood likelihood_;
};

}  // namespace

void pair_by_place(Matches& matches, const SourcePair& sources) {
    Places(matches, sources).pair();
}

}  // namespace npuscope::compare
