#include "diagnose/judge/habits.h"

#include <algorithm>

#include "core/base/error.h"

namespace npuscope::diagnose {

namespace {

constexpr size_t kRunsOfHabit = 10;

std::optional<double> exponent_of(const OpRun& run) {
    for (const NamedValue& argument : run.arguments)
        if (const auto* number = std::get_if<Scalar>(&argument.value);
            number != nullptr && argument.name == "exponent")
            return number->to_double();
    return std::nullopt;
}

}  // namespace

Habits::Habits(std::vector<SideOp> ops, HabitsOf habits_of) : habits_of_(std::move(habits_of)) {
    for (SideOp& op : ops)
        if (const backend::Op* row = row_of(*op.op))
            ops_[std::string(row->name())].push_back(std::move(op));
    for (auto& [name, runs] : ops_)
        runs = evenly(runs, kRunsOfHabit);
}

const Habits::ByResult& Habits::habits_of(const std::string& op) const {
    const auto [place, fresh] = found_.try_emplace(op);
    const auto runs = ops_.find(op);
    if (!fresh || runs == ops_.end()) return place->second;
    for (const SideOp& each : runs->second) {
        try {
            std::string why_not;
            auto run = load_run(*each.op, why_not, each.inputs);
            if (!run) continue;
            settle_ignored(*run);
            for (auto& [result, habit] : habits_of_(*run)) {
                habit.path = run->path;
                habit.exponent = exponent_of(*run);
                place->second[result].push_back(std::move(habit));
            }
        } catch (const Error&) {
            // What cannot be read is told where it is compared.
        }
    }
    return place->second;
}

std::vector<Habit> Habits::others(const OpRun& run, const std::string& result) const {
    const std::lock_guard guard(mutex_);
    const ByResult& all = habits_of(std::string(run.op->name()));
    const auto found = all.find(result);
    if (found == all.end()) return {};
    std::vector<Habit> habits;
    for (const Habit& habit : found->second)
        if (habit.path != run.path && habit.exponent == exponent_of(run)) habits.push_back(habit);
    std::ranges::sort(habits, std::greater<>(), &Habit::times);
    return habits;
}

}  // namespace npuscope::diagnose
