// Where a line of text tells step, loss and the like: guessed from a few lines, then applied to
// all.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loss/log_builder.h"

namespace npuscope::loss {

/// A number with the words before it: "lm loss: 1.05E+01".
struct KeyNumber {
    std::string_view key;  ///< the words between the last number or mark and this one
    double value = 0;
    bool is_whole = false;  ///< written without point and exponent
};

/// All of a line, in order. Dates and times give numbers too.
[[nodiscard]] std::vector<KeyNumber> key_numbers(std::string_view line);

/// Each quantity's key as it is written. Numbers may follow their key after blanks and any of
/// :=([{'".
struct LinePlan {
    std::string step_key;                                ///< "": the record's place counts
    bool step_before_slash = false;                      ///< a progress bar's "10/100 ["
    std::vector<std::pair<Quantity, std::string>> keys;  ///< as they come in the line

    [[nodiscard]] bool has(Quantity quantity) const;
    [[nodiscard]] std::string key_of(Quantity quantity) const;
    /// A word that every line with a step has: the longest of the keys that always come.
    [[nodiscard]] std::string marker() const;
    /// "step after 'iteration', loss after 'lm loss'"
    [[nodiscard]] std::string to_text() const;
};

/// The plan that most of the lines share; without a loss where no line tells one.
[[nodiscard]] LinePlan guess_plan(const std::vector<std::string_view>& lines);

/// False: the line tells no quantity, or no step where the plan has one.
[[nodiscard]] bool apply(const LinePlan& plan, std::string_view line, Record& record);

/// Reads a text by a plan: colours, several lines redrawn in one, ranks.
void read_lines(const LinePlan& plan, std::string_view text, LogBuilder& records, Log& log);

}  // namespace npuscope::loss
