#include "diagnose/judge/lasting_differences.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "compare/relate/kinship.h"
#include "core/naming/in_place.h"

namespace npuscope::diagnose {

namespace {

using compare::ReplayedResult;
using compare::Side;
using compare::TracedTensor;

/// Of what a result is off by, what is left at the ends.
constexpr double kLasts = 0.3;
/// So many times what is off elsewhere.
constexpr double kBeyondNoise = 5;
/// Nearer than this share of what arithmetic may leave, it is what arithmetic left.
constexpr double kOfAllowed = 0.25;
/// Ops without partner before a result that are looked at.
constexpr size_t kMostBefore = 8;
/// Of the norm: that results agree which are farther off tells little.
constexpr double kTelling = 0.02;
/// Ops until all that is made of a result agrees again.
constexpr size_t kMostBehind = 8;
/// Results whose ends are looked at.
constexpr size_t kMostResults = 16;

/// The middle one; 0 of none.
double median(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

class LastingDifferences {
  public:
    LastingDifferences(const Side& golden, const ReplayedResults& results)
        : golden_(golden), results_(results) {}

    std::unordered_set<const SourceOp*> find() const {
        std::unordered_set<const SourceOp*> ops;
        size_t looked_at = 0;
        for (size_t i = 0; i < golden_.flow.tensors.size() && looked_at < kMostResults; ++i) {
            if (judged(i) == nullptr) continue;
            const Before ahead = before(i);
            if (!is_jump(i, ahead)) continue;
            ++looked_at;
            if (!lasts(i)) continue;
            for (const size_t op : ahead.ops)
                ops.insert(&golden_.source.ops[op]);
        }
        return ops;
    }

    [[nodiscard]] std::unordered_set<const SourceOp*> find_made_good() const {
        std::unordered_set<const SourceOp*> ops;
        for (size_t i = 0; i < golden_.flow.tensors.size(); ++i) {
            const TracedTensor& tensor = golden_.tensor(i);
            if (tensor.direction != dumpfile::Direction::kOutput || !tensor.content ||
                tensor.content->numel <= 1 || results_.agrees(i))
                continue;
            const SourceOp& op = golden_.source.ops[tensor.op];
            const ReplayedResult* own = judged(i);
            const bool is_scaled = own != nullptr
                                       ? own->is_multiple
                                       : compare::step_of(op.op()) == compare::OpStep::kScaling;
            if (is_scaled && is_made_good(i)) ops.insert(&op);
        }
        return ops;
    }

  private:
    struct Before {
        std::vector<size_t> ops;        ///< its own, and those without partner before it
        std::vector<size_t> results{};  ///< with a partner, that they take in
    };

    /// What is known of a tensor that was held against the target's; nullptr of others.
    [[nodiscard]] const ReplayedResult* judged(size_t index) const {
        const auto found = results_.judged.find(index);
        const TracedTensor& tensor = golden_.tensor(index);
        const bool is_tensor = tensor.content && tensor.content->numel > 1;
        return found == results_.judged.end() || found->second.is_scaled || !is_tensor
                   ? nullptr
                   : &found->second;
    }
    /// What the op took in, as far back as results without partner go.
    [[nodiscard]] Before before(size_t index) const {
        Before before{.ops = {golden_.tensor(index).op}};
        for (size_t next = 0; next < before.ops.size(); ++next)
            for (const TracedTensor& each : golden_.flow.of_op(before.ops[next])) {
                if (each.direction == dumpfile::Direction::kOutput || !each.producer ||
                    each.ambiguous)
                    continue;
                const size_t maker = golden_.tensor(*each.producer).op;
                if (results_.judged.contains(*each.producer))
                    before.results.push_back(*each.producer);
                else if (before.ops.size() < kMostBefore &&
                         std::ranges::find(before.ops, maker) == before.ops.end())
                    before.ops.push_back(maker);
            }
        return before;
    }
    /// Whether it is much farther off than all that was taken in; coarse arithmetic may allow for
    /// it all the same.
    [[nodiscard]] bool is_jump(size_t index, const Before& before) const {
        const double off = judged(index)->off;
        if (!std::isfinite(off) || off < kOfAllowed * judged(index)->allowed) return false;
        return std::ranges::all_of(before.results, [&](size_t each) {
            const ReplayedResult* made = judged(each);
            return made == nullptr || off >= kBeyondNoise * made->off;
        });
    }
    /// Calls each(op, its tensors) for the ops that take in one of the results that are marked, in
    /// their order, which marks results in turn.
    template <class Each>
    void for_each_reader(std::vector<bool>& marked, size_t index, const Each& each) const {
        marked.assign(golden_.flow.tensors.size(), false);
        marked[index] = true;
        for (size_t op = golden_.tensor(index).op + 1; op < golden_.source.ops.size(); ++op)
            if (std::ranges::any_of(golden_.flow.of_op(op), [&](const TracedTensor& tensor) {
                    return tensor.direction == dumpfile::Direction::kInput && tensor.producer &&
                           marked[*tensor.producer];
                }))
                each(op);
    }
    template <class Each>
    void for_each_result(size_t op, const Each& each) const {
        for (size_t i = golden_.flow.first[op]; i < golden_.flow.first[op + 1]; ++i)
            if (golden_.tensor(i).direction == dumpfile::Direction::kOutput) each(i);
    }
    /// Whether no op makes something of it that is as it should be.
    [[nodiscard]] bool goes_on(size_t index) const {
        const double off = judged(index)->off;
        bool goes_on = true;
        std::vector<bool> marked;
        for_each_reader(marked, index, [&](size_t op) {
            std::optional<double> left;
            for_each_result(op, [&](size_t result) {
                if (const ReplayedResult* made = judged(result))
                    left = std::max(left.value_or(0), made->off);
                else
                    marked[result] = true;
            });
            if (left && *left < kLasts * off) goes_on = false;
        });
        return goes_on;
    }
    /// Whether all ways from the result come, within a few ops, to results that agree, more nearly
    /// than noise.
    [[nodiscard]] bool is_made_good(size_t index) const {
        bool any = false;
        bool all = true;
        size_t behind = 0;
        std::vector<bool> marked;
        for_each_reader(marked, index, [&](size_t op) {
            ++behind;
            // A step is small beside the parameter, which tells nothing of it.
            all = all && !calculates_in_place(golden_.source.ops[op].op());
            for_each_result(op, [&](size_t result) {
                const ReplayedResult* made = judged(result);
                if (made != nullptr &&
                    made->off <= std::min(kTelling, kOfAllowed * made->allowed)) {
                    any = true;
                    return;
                }
                marked[result] = true;
                all = all && results_.used.contains(result);
            });
        });
        return any && all && behind <= kMostBehind;
    }
    [[nodiscard]] bool lasts(size_t index) const {
        if (!goes_on(index)) return false;
        std::vector<bool> made;
        for_each_reader(made, index, [&](size_t op) {
            for_each_result(op, [&](size_t result) { made[result] = true; });
        });
        std::vector<double> at_ends;
        std::vector<double> elsewhere;
        for (size_t i = 0; i < made.size(); ++i) {
            const ReplayedResult* each = judged(i);
            if (each == nullptr) continue;
            if (made[i] && is_end(golden_, results_, i)) at_ends.push_back(each->off);
            if (!made[i] && each->agrees()) elsewhere.push_back(each->off);
        }
        const double off = judged(index)->off;
        const double left = median(at_ends);
        const double noise = kBeyondNoise * median(elsewhere);
        return left > 0 && left >= kLasts * off && left >= noise && off >= noise;
    }

    const Side& golden_;
    const ReplayedResults& results_;
};

}  // namespace

std::unordered_set<const SourceOp*> lasting_differences(const Side& golden,
                                                        const ReplayedResults& results) {
    return LastingDifferences(golden, results).find();
}

std::unordered_set<const SourceOp*> differences_made_good(const Side& golden,
                                                          const ReplayedResults& results) {
    return LastingDifferences(golden, results).find_made_good();
}

}  // namespace npuscope::diagnose
