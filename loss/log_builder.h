// Puts a log together from its records, in the order in which they were written.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "loss/log.h"

namespace npuscope::loss {

/// What one line or object of a log tells.
struct Record {
    static constexpr int64_t kNoStep = INT64_MIN;

    int64_t step = kNoStep;
    int32_t rank = -1;  ///< of the process that wrote it; -1: not told
    uint32_t present = 0;
    std::array<double, kQuantities> values{};

    void set(Quantity quantity, double value) {
        present |= 1U << static_cast<unsigned>(quantity);
        values[static_cast<size_t>(quantity)] = value;
    }
    [[nodiscard]] bool has(Quantity quantity) const {
        return (present >> static_cast<unsigned>(quantity) & 1U) != 0;
    }
};

/// Several ranks: the one with most records counts. A step that is told again: its first value
/// counts, unless the counter went back and the log goes on from there (a restart): then the later
/// run counts from that step on. Records without steps are numbered from 1.
class LogBuilder {
  public:
    void add(const Record& record);
    /// The records of the parts of one log, in order.
    [[nodiscard]] static LogBuilder joined(std::vector<LogBuilder> parts);
    [[nodiscard]] size_t size() const { return rows_.size(); }
    /// Fills the curves and appends the remarks.
    void finish(Log& log);

  private:
    struct Row {
        int64_t step;
        int32_t rank;
        uint32_t present;
        size_t first;  ///< of its values in values_
    };

    void keep_one_rank(Log& log);
    void number_steps(Log& log);
    [[nodiscard]] std::vector<size_t> chosen_rows(Log& log) const;
    [[nodiscard]] double value_of(const Row& row, Quantity quantity) const;

    std::vector<Row> rows_;
    std::vector<double> values_;
    size_t with_step_ = 0;
};

}  // namespace npuscope::loss
