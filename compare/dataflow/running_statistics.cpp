#include "compare/dataflow/running_statistics.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "compare/dataflow/nearness.h"
#include "compare/dataflow/traced_numbers.h"
#include "core/base/error.h"
#include "core/naming/aliases.h"
#include "core/naming/moving_statistics.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// Of the way that a statistic is moved, what may be missing; and of its size, what rounding
/// leaves.
struct Room {
    double of_move = 2e-4;
    double of_size = 1e-6;
};
constexpr Room kOfFloat32{};
constexpr Room kOf16Bits{.of_move = 0.05, .of_size = 0.01};

/// A statistic that is so far off, and so many times as what was computed before, is another one;
/// unless its batch moves it just there, but for such a part of the way.
constexpr double kFarOff = 0.05;
constexpr double kFarther = 4;
constexpr double kSameWay = 0.02;

using Numbers = std::vector<double>;

/// One run of a batch norm.
struct Norm {
    size_t pair = 0;
    double momentum = 0;
    double eps = 0;
    double count = 1;  ///< elements that each statistic is of
    Numbers mean_before{};
    Numbers var_before{};
    Numbers mean{};  ///< of the batch
    Numbers var{};   ///< of the batch, as it stands in running_var
    Room room{};
};

double largest(const Numbers& numbers) {
    double found = 0;
    for (const double each : numbers)
        found = std::max(found, std::abs(each));
    return found;
}

/// max|a - b|; infinity of other sizes, and of what is not finite.
double largest_distance(const Numbers& a, const Numbers& b) {
    double found = a.size() == b.size() ? 0 : INFINITY;
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        found = std::isfinite(a[i] - b[i]) ? std::max(found, std::abs(a[i] - b[i])) : INFINITY;
    return found;
}

Numbers moved(const Numbers& from, const Numbers& to, double part) {
    Numbers found = from;
    for (size_t i = 0; i < std::min(from.size(), to.size()); ++i)
        found[i] += part * (to[i] - from[i]);
    return found;
}

/// By least squares, the part of the way from `from` to `to` that `found` has gone.
double part_gone(const Numbers& from, const Numbers& to, const Numbers& found) {
    double way = 0;
    double gone = 0;
    for (size_t i = 0; i < from.size(); ++i) {
        way += (to[i] - from[i]) * (to[i] - from[i]);
        gone += (found[i] - from[i]) * (to[i] - from[i]);
    }
    return way > 0 ? gone / way : 0;
}

/// The norms of one side, by pair.
class SideNorms {
  public:
    SideNorms(const PairedFlows& flows, bool of_target)
        : flows_(flows),
          side_(of_target ? flows.target() : flows.golden()),
          of_target_(of_target) {}

    [[nodiscard]] const SourceOp* op_of(size_t pair) const {
        const OpPair& both = flows_.plan().ops[pair];
        return of_target_ ? both.target : both.golden;
    }

    [[nodiscard]] bool is_norm(size_t pair) const {
        const SourceOp* op = op_of(pair);
        return op != nullptr && moves_statistics(op->id.op);
    }

    /// In training, with all that it takes to know what it leaves; else empty.
    [[nodiscard]] std::optional<Norm> norm(size_t pair) const {
        Norm norm{.pair = pair};
        std::optional<double> momentum;
        bool trains = false;
        const SourceOp& op = *op_of(pair);
        if (!op.facts) return std::nullopt;
        for (const PlainArgument& argument : op.facts().arguments) {
            const std::string_view name = canonical(op, argument.name);
            if (argument.numbers.size() != 1) continue;
            if (name == "momentum") momentum = argument.numbers[0];
            if (name == "training") trains = argument.numbers[0] != 0;
            if (name == "eps") norm.eps = argument.numbers[0];
        }
        const TracedTensor* x = tensor(pair, Direction::kInput, "input");
        if (!trains || !momentum || x == nullptr || x->shape.size() < 2) return std::nullopt;
        norm.momentum = *momentum;
        norm.count = static_cast<double>(numel_of(x->shape)) / static_cast<double>(x->shape[1]);
        norm.room = is_of_16_bits(pair) ? kOf16Bits : kOfFloat32;
        norm.mean_before = numbers(pair, Direction::kInput, "running_mean");
        norm.var_before = numbers(pair, Direction::kInput, "running_var");
        norm.mean = numbers(pair, Direction::kOutput, "result1");
        norm.var = numbers(pair, Direction::kOutput, "result2");
        const double unbiased = norm.count / std::max(1.0, norm.count - 1);
        for (double& each : norm.var)
            each = (1 / (each * each) - norm.eps) * unbiased;
        return norm.mean_before.empty() || norm.mean.empty() ? std::nullopt : std::optional(norm);
    }

    /// As recorded; empty where it is not.
    [[nodiscard]] Numbers numbers(size_t pair, Direction direction, std::string_view name) const {
        const TracedTensor* found = tensor(pair, direction, name);
        if (found == nullptr || !found->content) return {};
        const Tensor wide = traced_numbers(side_, *found);
        return {wide.as<double>().begin(), wide.as<double>().end()};
    }

  private:
    /// Something that it takes in or gives out is, or holds no more.
    [[nodiscard]] bool is_of_16_bits(size_t pair) const {
        return std::ranges::any_of(side_.of_op(*op_of(pair)), [](const TracedTensor& each) {
            return each.content && each.content->tells_bag() &&
                   (each.content->fits_half || each.content->fits_bfloat);
        });
    }

    static std::string_view canonical(const SourceOp& op, const std::string& argument) {
        return canonical_argument(find_alias(op.id.op), argument);
    }

    [[nodiscard]] const TracedTensor* tensor(size_t pair,
                                             Direction direction,
                                             std::string_view name) const {
        const SourceOp& op = *op_of(pair);
        for (const TracedTensor& each : side_.of_op(op))
            if (each.direction == direction && canonical(op, each.argument) == name) return &each;
        return nullptr;
    }

    const PairedFlows& flows_;
    const Side& side_;
    bool of_target_;
};

class Statistics {
  public:
    explicit Statistics(const PairedFlows& flows)
        : flows_(flows), target_(flows, true), golden_(flows, false) {
        for (size_t pair = 0; pair < flows.plan().ops.size(); ++pair)
            if (target_.is_norm(pair) && golden_.is_norm(pair)) pairs_.push_back(pair);
    }

    std::vector<StatisticsFinding> find() const {
        std::vector<StatisticsFinding> found;
        for (const size_t pair : pairs_) {
            try {
                const auto mine = target_.norm(pair);
                const auto theirs = mine ? golden_.norm(pair) : std::nullopt;
                if (!theirs) continue;
                if (auto text = wrong(
                        *mine, *theirs, "running_mean", "mean", &Norm::mean_before, &Norm::mean);
                    !text.empty())
                    found.push_back({pair, std::move(text)});
                else if (text = wrong(*mine,
                                      *theirs,
                                      "running_var",
                                      "variance",
                                      &Norm::var_before,
                                      &Norm::var);
                         !text.empty())
                    found.push_back({pair, std::move(text)});
            } catch (const Error&) {
                // What cannot be read is told where it is compared.
            }
        }
        return found;
    }

  private:
    /// What is wrong with that statistic; empty where nothing is, or nobody can tell.
    [[nodiscard]] std::string wrong(const Norm& mine,
                                    const Norm& theirs,
                                    std::string_view statistic,
                                    std::string_view noun,
                                    Numbers Norm::*before,
                                    Numbers Norm::*of_batch) const {
        const Numbers expected = moved(theirs.*before, theirs.*of_batch, theirs.momentum);
        const double move = largest_distance(expected, theirs.*before);
        const double room = theirs.room.of_move * move + theirs.room.of_size * largest(expected);
        if (!(move > 4 * room)) return {};
        for (const size_t later : pairs_) {
            if (later <= theirs.pair) continue;
            const Numbers shown = golden_.numbers(later, Direction::kInput, statistic);
            if (!(largest_distance(shown, expected) <= room)) continue;
            const Numbers left = target_.numbers(later, Direction::kInput, statistic);
            const Numbers own = moved(mine.*before, mine.*of_batch, mine.momentum);
            const double own_room = mine.room.of_move * largest_distance(own, mine.*before) +
                                    mine.room.of_size * largest(own);
            if (left.empty() || largest_distance(left, own) <= own_room) return {};
            const double part = part_gone(mine.*before, mine.*of_batch, left);
            return fmt::format(
                "{} that {}{} leaves is not what its momentum of {:.4g} and the {} "
                "of its batch make of what was there: it was moved {:.3g} times as "
                "far as that, and is taken in by {}",
                statistic,
                target_.op_of(mine.pair)->path,
                flows_.place_of(mine.pair),
                mine.momentum,
                noun,
                part / mine.momentum,
                target_.op_of(later)->path);
        }
        return {};
    }

    const PairedFlows& flows_;
    SideNorms target_;
    SideNorms golden_;
    std::vector<size_t> pairs_{};
};

}  // namespace

std::vector<StatisticsFinding> wrong_running_statistics(const PairedFlows& flows) {
    if (flows.plan().load_mode || !flows.target().source.may_have_inputs() ||
        !flows.golden().source.may_have_inputs())
        return {};
    return Statistics(flows).find();
}

bool may_be_other_statistic(const PairedFlows& flows, const InputPair& statistic, double distance) {
    const TracedTensor& mine = flows.target().tensor(statistic.target);
    if (!(distance > std::max(kFarOff, kFarther * distance_before(flows, mine.op)))) return true;
    const SideNorms target(flows, true);
    const SideNorms golden(flows, false);
    if (!target.is_norm(statistic.pair) || !golden.is_norm(statistic.pair)) return true;
    const auto here = target.norm(statistic.pair);
    const auto there = golden.norm(statistic.pair);
    if (!here || !there) return true;
    const bool is_mean = mine.argument == "running_mean";
    const auto is_moved = [&](const Norm& from, const Norm& to) {
        const Numbers& before = is_mean ? from.mean_before : from.var_before;
        const Numbers& batch = is_mean ? from.mean : from.var;
        const Numbers& found = is_mean ? to.mean_before : to.var_before;
        const Numbers expected = moved(before, batch, from.momentum);
        return largest_distance(found, expected) <= kSameWay * largest_distance(found, before);
    };
    return is_moved(*here, *there) || is_moved(*there, *here);
}

size_t first_moving_norm(const PairedFlows& flows) {
    const std::vector<SourceOp>& ops = flows.golden().source.ops;
    size_t first = ops.size();
    for (size_t pair = 0; pair < flows.plan().ops.size(); ++pair) {
        const SourceOp* op = flows.plan().ops[pair].golden;
        if (op != nullptr && moves_statistics(op->id.op) && flows.trains(pair).value_or(true))
            first = std::min(first, static_cast<size_t>(op - ops.data()));
    }
    return first;
}

}  // namespace npuscope::compare
