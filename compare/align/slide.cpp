#include "compare/align/slide.h"

#include <algorithm>
#include <functional>

namespace npuscope::compare {

namespace {

/// Weight of places and lines beside that of elements.
constexpr double kPlaceWeight = 0.1;
constexpr double kLineWeight = 0.05;
constexpr double kElementsWeight = 1;

/// A move must gain more; a search that has lost so much ends.
constexpr double kLeastGain = 0.5;
constexpr double kMostLoss = 24;
/// A search that so many pairs have told nothing ends.
constexpr size_t kMostSilence = 256;
/// Parts of a run that are tried.
constexpr int kMostParts = 32;

/// How much speaks for a step of the side with the run being a run of a step of the other side.
using Favour = std::function<double(size_t, size_t)>;

/// The runs of one side.
class Runs {
  public:
    Runs(std::vector<int32_t>& partners,
         const std::vector<Step>& steps,
         const std::vector<Step>& others,
         const Favour& favour)
        : partners_(partners), steps_(steps), others_(others), favour_(favour) {}

    void slide() {
        size_t at = 0;
        while (at < partners_.size()) {
            if (partners_[at] >= 0) {
                ++at;
                continue;
            }
            size_t end = at;
            while (end < partners_.size() && partners_[end] < 0)
                ++end;
            at = is_alone(at, end) ? slide(at, end) : end;
        }
    }

  private:
    /// Nothing of the other side stands in its place.
    [[nodiscard]] bool is_alone(size_t first, size_t last) const {
        const int32_t before = first == 0 ? -1 : partners_[first - 1];
        const int32_t after =
            last == partners_.size() ? static_cast<int32_t>(others_.size()) : partners_[last];
        return before + 1 == after;
    }

    struct Move {
        size_t steps = 0;
        double gain = 0;
        size_t first = 0;  ///< the part of the run that moves
        size_t last = 0;
    };

    /// A part of the run may belong elsewhere: the end of a backward pass and the beginning of the
    /// next forward pass make one run, where the order alone decides. Where to go on.
    size_t slide(size_t first, size_t last) {
        const Move back = best_back(first, last);
        const Move ahead = best_ahead(first, last);
        if (back.steps == 0 && ahead.steps == 0) return last;
        if (back.gain >= ahead.gain) {
            move_back(back);
            return back.last;
        }
        move_ahead(ahead);
        return last + ahead.steps;
    }

    void move_back(const Move& move) {
        for (size_t i = 1; i <= move.steps; ++i)
            partners_[move.last - i] = partners_[move.first - i];
        leave_alone(move.first - move.steps, move.last - move.first);
    }

    void move_ahead(const Move& move) {
        for (size_t i = 0; i < move.steps; ++i)
            partners_[move.first + i] = partners_[move.last + i];
        leave_alone(move.first + move.steps, move.last - move.first);
    }

    void leave_alone(size_t first, size_t count) {
        std::fill_n(partners_.begin() + static_cast<std::ptrdiff_t>(first), count, -1);
    }

    [[nodiscard]] bool are_alike(size_t one, size_t other) const {
        return steps_[one].traits.is_alike(steps_[other].traits);
    }

    [[nodiscard]] Move best_back(size_t first, size_t last) const {
        Move best;
        int tried = 0;
        for (size_t end = last; first > 0 && end > first && tried < kMostParts; --end) {
            if (!are_alike(end - 1, first - 1)) continue;
            ++tried;
            const Move move = best_move(
                first,
                [&](size_t i) { return first - 1 - i; },
                [&](size_t i) { return end - 1 - i; });
            if (move.gain > best.gain) best = {move.steps, move.gain, first, end};
        }
        return best;
    }

    [[nodiscard]] Move best_ahead(size_t first, size_t last) const {
        Move best;
        int tried = 0;
        const size_t all = partners_.size();
        for (size_t begin = first; last < all && begin < last && tried < kMostParts; ++begin) {
            if (!are_alike(begin, last)) continue;
            ++tried;
            const Move move = best_move(
                all - last,
                [&](size_t i) { return last + i; },
                [&](size_t i) { return begin + i; });
            if (move.gain > best.gain) best = {move.steps, move.gain, begin, last};
        }
        return best;
    }

    /// Follows one direction: `leaving(i)` loses its partner to `taking(i)` in the i-th step.
    template <class F, class G>
    Move best_move(size_t most, F&& leaving, G&& taking) const {
        Move best;
        double gain = 0;
        for (size_t i = 0; i < most; ++i) {
            const size_t from = leaving(i);
            const size_t to = taking(i);
            const int32_t other = partners_[from];
            if (other < 0) break;
            if (i > 0 && std::abs(other - partners_[leaving(i - 1)]) != 1) break;
            if (!steps_[to].traits.is_alike(others_[static_cast<size_t>(other)].traits)) break;
            gain +=
                favour_(to, static_cast<size_t>(other)) - favour_(from, static_cast<size_t>(other));
            if (gain > best.gain + (best.steps == 0 ? kLeastGain : 0)) best = {i + 1, gain, 0, 0};
            if (gain < best.gain - kMostLoss || (gain == 0 && i >= kMostSilence)) break;
        }
        return best;
    }

    std::vector<int32_t>& partners_;
    const std::vector<Step>& steps_;
    const std::vector<Step>& others_;
    const Favour& favour_;
};

double favour(const Step& target, const Step& golden, ElementEvidence& evidence) {
    double sum = 0;
    if (target.is_fused() == golden.is_fused()) {
        double agreement = evidence.agreement(target.first, golden.first);
        if (target.is_fused())
            agreement = (agreement + evidence.agreement(target.last, golden.last)) / 2;
        sum = kElementsWeight * agreement;
    }
    if (target.traits.place >= 0 && golden.traits.place >= 0)
        sum += target.traits.place == golden.traits.place ? kPlaceWeight : -kPlaceWeight;
    if (target.traits.line >= 0 && target.traits.line == golden.traits.line) sum += kLineWeight;
    return sum;
}

/// By golden step what is given by target step, or the other way round.
std::vector<int32_t> turned(const std::vector<int32_t>& partners, size_t others) {
    std::vector<int32_t> found(others, -1);
    for (size_t i = 0; i < partners.size(); ++i)
        if (partners[i] >= 0) found[static_cast<size_t>(partners[i])] = static_cast<int32_t>(i);
    return found;
}

}  // namespace

void slide_runs(std::vector<int32_t>& partners,
                const std::vector<Step>& target,
                const std::vector<Step>& golden,
                ElementEvidence& evidence) {
    const Favour of_target = [&](size_t mine, size_t theirs) {
        return favour(target[mine], golden[theirs], evidence);
    };
    Runs(partners, target, golden, of_target).slide();
    std::vector<int32_t> by_golden = turned(partners, golden.size());
    const Favour of_golden = [&](size_t theirs, size_t mine) {
        return favour(target[mine], golden[theirs], evidence);
    };
    Runs(by_golden, golden, target, of_golden).slide();
    partners = turned(by_golden, target.size());
}

}  // namespace npuscope::compare
