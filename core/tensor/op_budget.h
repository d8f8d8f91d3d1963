// How much one op may make and compute: its sizes may come from a file that nobody vouches for.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

namespace npuscope {

struct OpLimits {
    int64_t elements = INT64_MAX;  ///< of one tensor
    int64_t steps = INT64_MAX;     ///< multiply-adds, elements read by windows, elements made
    bool settable = false;         ///< errors advise to allow more elements

    /// For an op of a program that was given so many elements (weights and inputs): 64 times as
    /// many in one tensor, at least 2^24, and 2^12 steps for each of them.
    [[nodiscard]] static OpLimits for_given(int64_t elements);
    /// So many elements in one tensor, whatever the program was given.
    [[nodiscard]] static OpLimits of_elements(int64_t elements);
};

/// While it lives, tensors made by this thread and the steps that kernels announce there count
/// against its limits; the innermost one counts. Kernels announce before they begin, and where
/// they hand work to other threads, all of it on their own.
class OpBudget {
  public:
    explicit OpBudget(const OpLimits& limits);
    ~OpBudget();
    OpBudget(const OpBudget&) = delete;
    OpBudget& operator=(const OpBudget&) = delete;

    /// Before a tensor of this shape is made. Errors: Error(kUnsupported) says its shape, how many
    /// elements there may be and that more can be allowed.
    static void take_tensor(std::span<const int64_t> shape, int64_t numel);
    /// Before work of the product of these, none negative. Errors: likewise.
    static void take_steps(std::initializer_list<int64_t> factors);

  private:
    OpLimits limits_;
    int64_t taken_ = 0;  ///< steps
    OpBudget* outer_;
};

}  // namespace npuscope
