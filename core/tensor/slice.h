// A part of a tensor in NumPy's notation: "..., -3:", "0, 2:10:2".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor/tensor.h"

namespace npuscope {

/// Places first, first + step, … of one dimension, in rising order.
struct Stretch {
    int64_t first = 0;
    int64_t count = 0;
    int64_t step = 1;
};

/// Whole numbers, start:stop:step and one "..." with commas between; what is left out at the end is
/// whole, and what counts from the end is negative, as in NumPy. There are no lists, masks or new
/// axes.
class Slice {
  public:
    /// Errors: Error(kUsage) that names the text and what is wrong in it.
    explicit Slice(std::string_view text);

    /// One a dimension. Empty where the shape has fewer dimensions, not that number, or nothing of
    /// it is meant.
    [[nodiscard]] std::optional<std::vector<Stretch>> in(const Shape& shape) const;
    /// "[..., -3:]"
    [[nodiscard]] const std::string& text() const { return text_; }

  private:
    struct Part {
        bool is_number = false;  ///< `start` alone
        std::optional<int64_t> start{}, stop{}, step{};
    };
    [[nodiscard]] static Stretch stretch_of(const Part& part, int64_t size);

    std::string text_;
    std::vector<Part> before_;  ///< of the first dimensions
    std::vector<Part> behind_;  ///< of the last ones, after "..."
};

}  // namespace npuscope
