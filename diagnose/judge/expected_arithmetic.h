// What a target's arithmetic should be, by the chip that it ran on or a class that was named, and
// where its results show another.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/recording/source.h"
#include "diagnose/judge/side_judge.h"
#include "npu_backend/chips/chip.h"

namespace npuscope::diagnose {

/// Borrows static rows only.
class ExpectedArithmetic {
  public:
    /// Nothing is expected.
    ExpectedArithmetic() = default;
    /// `chip` may be nullptr. `named` is a class of products or of other ops, for every kind of op
    /// that has a class of that name; "" without one; it goes before the chip's. Errors:
    /// Error(kUsage) that lists the classes.
    ExpectedArithmetic(const Chip* chip, std::string_view named);
    /// What the recording says computed it: a chip whose options are its own. Of other recordings:
    /// nothing.
    [[nodiscard]] static ExpectedArithmetic recorded_in(const Source& source);

    [[nodiscard]] bool is_anything() const { return chip_ != nullptr || is_named(); }
    /// The chip writes infinities where an exact result leaves the range.
    [[nodiscard]] bool gives_infinities() const {
        return chip_ != nullptr && chip_->overflow_mode == OverflowMode::kInfNan;
    }
    [[nodiscard]] bool is_named() const { return product_ != nullptr || vector_ != nullptr; }
    /// Groups of the judge whose own sample is of ten or more runs, which its class explains and
    /// the expected one does not, nor is the class the more precise of the two. `first` is empty.
    [[nodiscard]] std::vector<std::pair<ArithmeticGroup, compare::ArithmeticContradiction>>
    contradicted_by(const SideJudge& judge) const;

  private:
    [[nodiscard]] const ProductClass* product_for(const ArithmeticGroup& group) const;
    [[nodiscard]] const VectorClass* vector_for(const ArithmeticGroup& group) const;

    const Chip* chip_ = nullptr;
    const ProductClass* product_ = nullptr;  ///< named
    const VectorClass* vector_ = nullptr;    ///< likewise
    bool recorded_ = false;                  ///< the chip is what the file says
};

/// Of both kinds of class, each once, in the tables' order.
[[nodiscard]] std::vector<std::string_view> class_names();

}  // namespace npuscope::diagnose
