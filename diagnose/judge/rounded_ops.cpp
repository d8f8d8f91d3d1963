#include "diagnose/judge/rounded_ops.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "diagnose/judge/apart_runs.h"

namespace npuscope::diagnose {

namespace {

/// One op whose float32 results are rounded to 16 bits is a finding; so many are a chip's habit.
constexpr size_t kFewestRoundedRuns = 3;
/// ApartRuns of results in a 16-bit format that show where the run computes in it.
constexpr size_t kFewestBeside = 4;
/// Of an op's runs that are off, some may be faulty.
constexpr double kMostOff = 1.0 / 3;
/// Of the runs that are off, as may be faulty.
constexpr double kNearlyAll = 0.9;

/// The class whose results alone are in that format.
std::optional<size_t> column_of_results(DType format) {
    const auto classes = vector_classes();
    const auto row = std::ranges::find_if(classes, [&](const VectorClass& by) {
        return by.results == format_of(format) && !by.steps_are_narrow();
    });
    if (row == classes.end()) return std::nullopt;
    return static_cast<size_t>(row - classes.begin());
}

/// Of results in float32: ops that give out numbers of a 16-bit format.
class RoundedOps {
  public:
    RoundedOps(ArithmeticSamples& samples, const ArithmeticGroup& group, DType format)
        : format_(format), column_(*column_of_steps(format)) {
        for (SampledRun& run : samples.at(group).runs)
            by_name_[run.name].push_back(&run);
        if (const auto wide = column_of_results(format); wide && explains_rounded(*wide))
            column_ = *wide;
        look_beside(samples, group);
    }

    /// By name. One run that is rounded where others of its op are not may be a fault, but among
    /// the others that are.
    [[nodiscard]] std::map<std::string, InferredArithmetic> find() {
        std::map<std::string, InferredArithmetic> ops;
        for (const bool alone : {false, true}) {
            if (alone && ops.size() >= kFewestRoundedRuns) reach_out();
            for (const auto& [name, runs] : by_name_) {
                if (ops.contains(name)) continue;
                const ApartRuns off = rounded_runs(runs);
                const bool are_usual = off.size() >= kFewestApart || are_rounded(runs);
                if (off.empty() || (alone ? !are_between(off) : !are_usual)) continue;
                const auto count = static_cast<int64_t>(off.size());
                ops[name] = vector_class(column_, count, count);
                if (!alone) widen(off);
            }
        }
        return ops.size() >= kFewestRoundedRuns || are_all_
                   ? ops
                   : std::map<std::string, InferredArithmetic>();
    }

    /// As OpsApart::any; empty where the runs that are rounded are few, or are few of those off.
    [[nodiscard]] std::optional<InferredArithmetic> all() const {
        ApartRuns rounded;
        size_t off = 0;
        for (const auto& each : by_name_)
            for (SampledRun* run : each.second) {
                if (run->ratios[kPlainColumn] <= 1) continue;
                ++off;
                if (is_rounded(*run)) rounded.push_back(run);
            }
        if (rounded.size() < kFewestOthersApart ||
            static_cast<double>(rounded.size()) < kNearlyAll * static_cast<double>(off))
            return std::nullopt;
        const auto within = std::ranges::count_if(
            rounded, [this](SampledRun* run) { return are_within({run}, column_); });
        return vector_class(column_, std::ssize(rounded), within);
    }

    /// Beside results that are rounded once: functions whose steps are rounded each, by name.
    [[nodiscard]] std::map<std::string, InferredArithmetic> written() const {
        std::map<std::string, InferredArithmetic> ops;
        const size_t narrow = *column_of_steps(format_);
        if (column_ == narrow) return ops;
        for (const auto& [name, runs] : by_name_)
            if (const auto found = written_apart(name, runs, column_, narrow)) ops[name] = *found;
        return ops;
    }

    [[nodiscard]] bool is_rounded(const SampledRun& run) const {
        return run.bits > 0 && run.bits <= vector_classes()[column_].results.bits;
    }

  private:
    /// All that is rounded keeps to the class, of many but what is far off, and some of it would
    /// not if its steps were narrow.
    [[nodiscard]] bool explains_rounded(size_t column) const {
        std::vector<SampledRun> rounded;
        for (const auto& each : by_name_)
            for (SampledRun* run : each.second)
                if (is_rounded(*run) && run->ratios[kPlainColumn] > 1) {
                    try_all(*run, column);
                    rounded.push_back(*run);
                }
        if (!is_shown(rounded, column)) return false;
        return count_within(rounded, column) == std::ssize(rounded) ||
               (rounded.size() >= kFewestOthersApart && explains(rounded, column) &&
                are_far_or_within(rounded, column));
    }

    [[nodiscard]] bool are_rounded(const ApartRuns& runs) const {
        return std::ranges::all_of(runs,
                                   [this](const SampledRun* run) { return is_rounded(*run); });
    }

    /// From the first to the last of several results in the format; the runs of `group` there are
    /// all rounded to it, or not.
    void look_beside(ArithmeticSamples& samples, const ArithmeticGroup& group) {
        ApartRuns narrow;
        for (auto& [other, sample] : samples)
            if (other.dtype == format_)
                for (SampledRun& run : sample.runs)
                    narrow.push_back(&run);
        if (narrow.size() < kFewestBeside) return;
        widen(narrow);
        reach_out();
        ApartRuns between;
        for (SampledRun& run : samples.at(group).runs)
            if (is_between(run)) between.push_back(&run);
        are_all_ = !between.empty() && are_rounded(between);
    }

    /// Those that are off, in numbers of the format, and by no more than that; none where more than
    /// a few others, which may be faulty, are off.
    [[nodiscard]] ApartRuns rounded_runs(const ApartRuns& runs) const {
        ApartRuns rounded;
        size_t off = 0;
        for (SampledRun* run : runs) {
            if (run->ratios[kPlainColumn] <= 1) continue;
            const bool may_be = is_rounded(*run) && are_within({run}, column_);
            // What is rounded in few elements was nearly of the format before, and tells little.
            if (may_be && run->off <= kSpreadOfSteps) continue;
            ++off;
            if (may_be) rounded.push_back(run);
        }
        const auto most = static_cast<size_t>(kMostOff * static_cast<double>(off));
        return off - rounded.size() <= most ? rounded : ApartRuns{};
    }

    void widen(const ApartRuns& off) {
        for (const SampledRun* run : off) {
            first_ = first_ == nullptr ? run->op->op : std::min(first_, run->op->op);
            last_ = std::max(last_, run->op->op);
        }
    }

    /// To those next to it that are rounded, up to one that is not.
    void reach_out() {
        ApartRuns all;
        for (const auto& each : by_name_)
            all.insert(all.end(), each.second.begin(), each.second.end());
        const auto place = [](const SampledRun* run) { return run->op->op; };
        std::ranges::sort(all, {}, place);
        const auto take = [this](auto from, auto to) {
            for (; from != to && is_rounded(**from); ++from)
                widen({*from});
        };
        const auto behind = std::ranges::upper_bound(all, last_, {}, place);
        const auto before = std::ranges::lower_bound(all, first_, {}, place);
        take(std::make_reverse_iterator(before), all.rend());
        take(behind, all.end());
    }

    [[nodiscard]] bool are_between(const ApartRuns& runs) const {
        return std::ranges::all_of(runs,
                                   [this](const SampledRun* run) { return is_between(*run); });
    }
    [[nodiscard]] bool is_between(const SampledRun& run) const {
        return first_ != nullptr && run.op->op >= first_ && run.op->op <= last_;
    }

    DType format_;
    size_t column_;
    std::map<std::string, ApartRuns> by_name_{};
    bool are_all_ = false;  ///< as of look_beside()
    const SourceOp* first_ = nullptr;
    const SourceOp* last_ = nullptr;
};

/// What is not rounded is computed in float32: of all of these, or empty where it is not.
std::optional<InferredArithmetic> class_beside(const std::vector<SampledRun>& sample,
                                               const RoundedOps& rounded) {
    std::vector<SampledRun> others;
    std::ranges::copy_if(sample, std::back_inserter(others), [&](const SampledRun& run) {
        return !rounded.is_rounded(run) || run.ratios[kPlainColumn] <= 1;
    });
    const int64_t within = count_within(others, kPlainColumn);
    if (within == 0 || !explains(others, kPlainColumn)) return std::nullopt;
    return vector_class(kPlainColumn, std::ssize(others), within);
}

}  // namespace

OpsApart rounded_apart(ArithmeticSamples& samples,
                       const ArithmeticGroup& group,
                       const InferredArithmetic& found) {
    OpsApart apart{.others = found};
    const std::vector<SampledRun>& sample = samples.at(group).runs;
    if (count_within(sample, kPlainColumn) == std::ssize(sample)) return apart;
    const bool is_plain = found.vector == &vector_classes()[kPlainColumn];
    for (const DType format : {DType::kBFloat16, DType::kFloat16}) {
        RoundedOps rounded(samples, group, format);
        auto ops = rounded.find();
        if (ops.empty()) continue;
        if (is_plain) {
            for (const auto& each : ops)
                apart.others.sampled -= each.second.sampled;
        } else if (const auto others = class_beside(sample, rounded)) {
            apart.others = *others;
        } else {
            continue;
        }
        apart.ops = std::move(ops);
        apart.any = rounded.all();
        for (const auto& [name, written] : rounded.written()) {
            if (apart.ops.contains(name) && !apart.any) continue;  // so is its gradient
            apart.ops[name] = written;
            apart.without_gradients.insert(name);
            if (apart.any) apart.any->sampled -= written.sampled;
        }
        break;
    }
    return apart;
}

}  // namespace npuscope::diagnose
