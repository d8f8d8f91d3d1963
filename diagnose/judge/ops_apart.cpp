#include "diagnose/judge/ops_apart.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "diagnose/judge/written_steps.h"

namespace npuscope::diagnose {

namespace {

/// Narrow steps show in many numbers: a fault may be in few.
constexpr double kSpread = 0.05;
/// One run may be faulty.
constexpr size_t kFewestRuns = 2;
/// Where so many ops or groups compute in narrow steps, one run of another that does is no fault.
constexpr size_t kUsual = 2;
/// One op whose float32 results are rounded to 16 bits is a finding; so many are a chip's habit.
constexpr size_t kFewestRoundedRuns = 3;
/// Runs of results in a 16-bit format that show where the run computes in it.
constexpr size_t kFewestBeside = 4;
/// Of an op's runs that are off, some may be faulty.
constexpr double kMostOff = 1.0 / 3;
/// Of the runs that are off, as may be faulty.
constexpr double kNearlyAll = 0.9;
/// Fewer others do not tell that they compute in more bits.
constexpr size_t kFewestOthers = 10;

/// Of an op and its gradient.
using Runs = std::vector<SampledRun*>;

/// The class whose steps are in that format; empty of wide ones.
std::optional<size_t> column_of_steps(DType format) {
    const auto bits = format == DType::kBFloat16  ? kBFloat16.bits
                      : format == DType::kFloat16 ? kFloat16.bits
                                                  : 0;
    const auto classes = vector_classes();
    const auto row =
        std::ranges::find_if(classes, [&](const VectorClass& by) { return by.steps.bits == bits; });
    if (row == classes.end()) return std::nullopt;
    return static_cast<size_t>(row - classes.begin());
}

/// The class whose results alone are in that format.
std::optional<size_t> column_of_results(DType format) {
    const auto classes = vector_classes();
    const auto row = std::ranges::find_if(classes, [&](const VectorClass& by) {
        return by.results == format_of(format) && !by.steps_are_narrow();
    });
    if (row == classes.end()) return std::nullopt;
    return static_cast<size_t>(row - classes.begin());
}

/// Holds the run to that class as well, if its sample did not.
void try_all(SampledRun& run, size_t column) {
    if (!std::isinf(run.ratios[column])) return;
    if (auto more = sampled_run(*run.op, Tried::kAll, {true, true})) run.ratios = more->ratios;
}

bool are_within(const Runs& runs, size_t column) {
    return std::ranges::all_of(runs, [&](SampledRun* run) {
        try_all(*run, column);
        return run->ratios[column] <= 1;
    });
}

/// Its results are what a formula makes whose steps are rounded so.
bool is_written(const SampledRun& sampled, const NumberFormat& steps) {
    std::string why_not;
    const auto run = load_run(*sampled.op->op, why_not, sampled.op->inputs);
    return run && is_made_in_written_steps(*run, steps);
}

/// So many runs at least are off in many elements (or any is written()), and no other one would
/// show narrow steps: a function of one number may be one step.
bool are_off(const Runs& runs,
             size_t column,
             size_t fewest,
             const std::function<bool(const SampledRun&)>& written) {
    size_t off = 0;
    for (const SampledRun* run : runs) {
        const bool is_beyond = run->ratios[column] > 1;
        const bool is_written = is_beyond && off < fewest && written(*run);
        if (is_written) fewest = 1;
        const bool is_off = is_beyond && (run->off > kSpread || is_written);
        if (!is_off && (run->shows_steps || run->ratios[column] > 1)) return false;
        off += is_off ? 1 : 0;
    }
    return off >= fewest;
}

/// How many of the other groups, such as of results that are stored wider, have the class `column`.
size_t groups_of(size_t column,
                 const ArithmeticGroup& but,
                 const std::map<ArithmeticGroup, InferredArithmetic>& classes) {
    return static_cast<size_t>(std::ranges::count_if(classes, [&](const auto& each) {
        const auto& [group, found] = each;
        return group.dtype != but.dtype && found.vector == &vector_classes()[column] &&
               found.within >= static_cast<int64_t>(kFewestRuns);
    }));
}

InferredArithmetic vector_class(size_t column, int64_t sampled, int64_t within) {
    return {.vector = &vector_classes()[column], .sampled = sampled, .within = within};
}

/// Whether the class of an op that is apart is that of a run of it: of results in float32 (a norm's
/// statistics beside what it normalises aside) only where nearly all their numbers are of its
/// format (the optimizer's products may be computed in float32, beside the forward pass's).
bool is_apart(const OpRun& run, const InferredArithmetic& of_op) {
    int64_t most = 0;
    for (const RecordedResult& result : run.results)
        most = std::max(most, result.elements.numel());
    const bool is_wide = std::ranges::any_of(run.results, [&](const RecordedResult& result) {
        return result.elements.dtype() == DType::kFloat32 && 2 * result.elements.numel() >= most;
    });
    if (!is_wide) return true;
    const int bits = result_bits(run).first;
    return bits > 0 && bits <= of_op.of_vectors().results.bits;
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
                const Runs off = rounded_runs(runs);
                const bool are_usual = off.size() >= kFewestRuns || are_rounded(runs);
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
        Runs rounded;
        size_t off = 0;
        for (const auto& each : by_name_)
            for (SampledRun* run : each.second) {
                if (run->ratios[kPlainColumn] <= 1) continue;
                ++off;
                if (is_rounded(*run)) rounded.push_back(run);
            }
        if (rounded.size() < kFewestOthers ||
            static_cast<double>(rounded.size()) < kNearlyAll * static_cast<double>(off))
            return std::nullopt;
        const auto within = std::ranges::count_if(
            rounded, [this](SampledRun* run) { return are_within({run}, column_); });
        return vector_class(column_, std::ssize(rounded), within);
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
               (rounded.size() >= kFewestOthers && explains(rounded, column) &&
                are_far_or_within(rounded, column));
    }

    [[nodiscard]] bool are_rounded(const Runs& runs) const {
        return std::ranges::all_of(runs,
                                   [this](const SampledRun* run) { return is_rounded(*run); });
    }

    /// From the first to the last of several results in the format; the runs of `group` there are
    /// all rounded to it, or not.
    void look_beside(ArithmeticSamples& samples, const ArithmeticGroup& group) {
        Runs narrow;
        for (auto& [other, sample] : samples)
            if (other.dtype == format_)
                for (SampledRun& run : sample.runs)
                    narrow.push_back(&run);
        if (narrow.size() < kFewestBeside) return;
        widen(narrow);
        reach_out();
        Runs between;
        for (SampledRun& run : samples.at(group).runs)
            if (is_between(run)) between.push_back(&run);
        are_all_ = !between.empty() && are_rounded(between);
    }

    /// Those that are off, in numbers of the format, and by no more than that; none where more than
    /// a few others, which may be faulty, are off.
    [[nodiscard]] Runs rounded_runs(const Runs& runs) const {
        Runs rounded;
        size_t off = 0;
        for (SampledRun* run : runs) {
            if (run->ratios[kPlainColumn] <= 1) continue;
            const bool may_be = is_rounded(*run) && are_within({run}, column_);
            // What is rounded in few elements was nearly of the format before, and tells little.
            if (may_be && run->off <= kSpread) continue;
            ++off;
            if (may_be) rounded.push_back(run);
        }
        const auto most = static_cast<size_t>(kMostOff * static_cast<double>(off));
        return off - rounded.size() <= most ? rounded : Runs{};
    }

    void widen(const Runs& off) {
        for (const SampledRun* run : off) {
            first_ = first_ == nullptr ? run->op->op : std::min(first_, run->op->op);
            last_ = std::max(last_, run->op->op);
        }
    }

    /// To those next to it that are rounded, up to one that is not.
    void reach_out() {
        Runs all;
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

    [[nodiscard]] bool are_between(const Runs& runs) const {
        return std::ranges::all_of(runs,
                                   [this](const SampledRun* run) { return is_between(*run); });
    }
    [[nodiscard]] bool is_between(const SampledRun& run) const {
        return first_ != nullptr && run.op->op >= first_ && run.op->op <= last_;
    }

    DType format_;
    size_t column_;
    std::map<std::string, Runs> by_name_{};
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
        break;
    }
    return apart;
}

}  // namespace

const InferredArithmetic* OpsApart::class_of(const OpRun& run) const {
    const auto own = ops.find(name_of_forms(*run.op));
    const InferredArithmetic* found = own != ops.end() ? &own->second : any ? &*any : nullptr;
    return found != nullptr && is_apart(run, *found) ? found : nullptr;
}

OpsApart ops_apart(ArithmeticSamples& samples,
                   const ArithmeticGroup& group,
                   const std::map<ArithmeticGroup, InferredArithmetic>& classes) {
    const InferredArithmetic& found = classes.at(group);
    OpsApart none{.others = found};
    if (is_product(group.kind)) return none;
    if (group.dtype == DType::kFloat32) return rounded_apart(samples, group, found);
    ArithmeticSample& sample = samples.at(group);
    const auto narrow = column_of_steps(group.dtype);
    if (!narrow) return none;
    const bool is_narrow = found.of_vectors().steps_are_narrow();
    const auto own =
        is_narrow ? kPlainColumn : static_cast<size_t>(found.vector - vector_classes().data());
    std::map<std::string, Runs> by_name;
    for (SampledRun& run : sample.runs)
        by_name[run.name].push_back(&run);
    OpsApart apart{.others = found};
    std::vector<SampledRun> others;
    const auto written = [&](const SampledRun& run) {
        return is_written(run, vector_classes()[*narrow].steps);
    };
    const auto set_apart = [&](size_t fewest) {
        for (const auto& [name, runs] : by_name) {
            if (apart.ops.contains(name) || !are_off(runs, own, fewest, written) ||
                !are_within(runs, *narrow))
                continue;
            const auto count = static_cast<int64_t>(runs.size());
            apart.ops[name] = vector_class(*narrow, count, count);
        }
    };
    const auto take_others = [&] {
        others.clear();
        for (const auto& [name, runs] : by_name)
            if (!apart.ops.contains(name))
                for (const SampledRun* run : runs)
                    others.push_back(*run);
    };
    set_apart(kFewestRuns);
    take_others();
    if (!apart.ops.empty() && apart.ops.size() + groups_of(*narrow, group, classes) >= kUsual) {
        const auto several = apart.ops;
        set_apart(1);
        take_others();
        // Else others compute in narrow steps too, and these tell nothing of them.
        if (count_within(others, own) < std::ssize(others)) {
            apart.ops = several;
            take_others();
        }
    }
    // All others would be let off for these, or are too few to tell.
    if (is_narrow && (others.size() < kFewestOthers || !explains(others, own))) return none;
    if (!apart.ops.empty())
        apart.others =
            vector_class(own, static_cast<int64_t>(others.size()), count_within(others, own));
    return apart;
}

}  // namespace npuscope::diagnose
