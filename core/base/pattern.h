// Regular expressions whose search takes time linear in the text, whatever the expression.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace npuscope {

/// A part of the extended syntax: characters, ".", [sets] and [^sets] with ranges, \d \w \s and
/// their negations, \ before any other sign, groups (…) and (?:…), | * + ? {n} {n,} {n,m}, ^ and $.
/// Bytes are compared as they are; there are no references back. Threads: const calls may run at
/// once. Complexity: text times expression, in time; the expression, in memory.
class Pattern {
  public:
    /// Errors: Error(kUsage) that names the expression and the place of what is wrong in it, or
    /// that it becomes too large.
    explicit Pattern(std::string_view expression);

    /// Whether some part of the text matches.
    [[nodiscard]] bool is_found_in(std::string_view text) const;
    [[nodiscard]] const std::string& text() const { return text_; }

    using Bytes = std::bitset<256>;

    enum class Step : uint8_t { kByte, kSplit, kBegin, kEnd, kMatch };
    struct Instruction {
        Step step = Step::kMatch;
        size_t next = 0;
        size_t other = 0;  ///< of kSplit
        size_t bytes = 0;  ///< of kByte: index into the sets
    };

  private:
    class States;

    std::string text_;
    std::vector<Instruction> program_;
    std::vector<Bytes> sets_;
};

}  // namespace npuscope
