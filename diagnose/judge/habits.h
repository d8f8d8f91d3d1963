// How far the runs of a recording are off, beside what honest arithmetic makes of them here: what
// one run does and its like do not is no habit of the chip.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "diagnose/judge/op_run.h"
#include "diagnose/judge/sampled_run.h"

namespace npuscope::diagnose {

/// Of one run's result.
struct Habit {
    std::string path{};  ///< of the run
    double times = 0;    ///< Closeness::times
    double share = 0;    ///< Closeness::recorded
    int64_t numel = 0;
    bool is_coarser = false;           ///< on a coarser_grid()
    std::optional<double> exponent{};  ///< of a power: each is a function of its own
};

/// Threads: several may ask at once.
class Habits {
  public:
    /// Of each result of a run, by its name.
    using HabitsOf = std::function<std::map<std::string, Habit>(const OpRun& run)>;
    /// Borrows what the ops borrow.
    Habits(std::vector<SideOp> ops, HabitsOf habits_of);

    /// Of the like runs but itself, from the furthest off, in times. Runs that cannot be read or
    /// computed say nothing.
    [[nodiscard]] std::vector<Habit> others(const OpRun& run, const std::string& result) const;

  private:
    using ByResult = std::map<std::string, std::vector<Habit>>;
    [[nodiscard]] const ByResult& habits_of(const std::string& op) const;

    std::map<std::string, std::vector<SideOp>> ops_;  ///< some of each name as the schema has it
    HabitsOf habits_of_;
    mutable std::mutex mutex_;
    mutable std::map<std::string, ByResult> found_;
};

/// At most `most` of them, evenly.
template <class T>
[[nodiscard]] std::vector<T> evenly(const std::vector<T>& all, size_t most) {
    if (all.size() <= most) return all;
    std::vector<T> chosen;
    for (size_t i = 0; i < most; ++i)
        chosen.push_back(all[i * all.size() / most]);
    return chosen;
}

}  // namespace npuscope::diagnose
