// What a function was called with, as its record tells: tensors, numbers and lists by position and
// by keyword.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/recording/source.h"

namespace npuscope::diagnose {

/// A tensor, a number (or a text, or several numbers in one), a list, or None.
struct Operand {
    std::optional<SourceTensor> tensor{};
    std::optional<PlainArgument> number{};
    std::vector<Operand> list{};

    [[nodiscard]] bool is_none() const { return !tensor && !number && list.empty(); }
    [[nodiscard]] bool is_text() const { return number && !number->text.empty(); }
    /// One number; a bool counts.
    [[nodiscard]] bool is_number() const {
        return number && number->text.empty() && number->numbers.size() == 1 && !number->is_list;
    }
    [[nodiscard]] bool is_whole() const;
    /// Of a list of numbers, or of one; empty where there is anything else.
    [[nodiscard]] std::optional<std::vector<double>> numbers() const;

    [[nodiscard]] static Operand of(SourceTensor tensor);
    [[nodiscard]] static Operand of(double number);
    [[nodiscard]] static Operand of(int64_t number);
    [[nodiscard]] static Operand of(bool truth);
    [[nodiscard]] static Operand of(std::string text);
    [[nodiscard]] static Operand of(const std::vector<int64_t>& numbers);
    /// "1", "0.5", "true", "0,0", "mean".
    [[nodiscard]] static Operand parse(const std::string& text);
};

struct Operands {
    std::vector<Operand> positional{};
    std::map<std::string, Operand> keywords{};
    std::vector<SourceTensor> outputs{};

    /// None where it was not given.
    [[nodiscard]] Operand at(size_t index) const {
        return index < positional.size() ? positional[index] : Operand();
    }
};

/// Reads what was recorded, but no elements. Errors: as SourceOp::load and facts.
[[nodiscard]] Operands operands_of(const SourceOp& record);

}  // namespace npuscope::diagnose
