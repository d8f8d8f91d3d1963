// How an array of a .npz came about, where a program that watched its computation knows: in the
// comment of the array's entry, which NumPy does not look at.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/dtype/compute_type.h"

namespace npuscope {

struct ArrayHistory {
    ComputeType compute_type = ComputeType::kNone;  ///< as a dump's attribute ComputeType
    /// A hash of all ops before it, in their order: names, numbers, shapes of tensors. "": nobody
    /// counted.
    std::string program{};
    /// Each op before it that a device computed added no more than its arithmetic may, but for
    /// those whose fault is told by an array before it.
    bool honest = false;
    /// What an op since the array before it did that no arithmetic explains; "" otherwise.
    std::string fault{};

    friend bool operator==(const ArrayHistory&, const ArrayHistory&) = default;
};

/// By an array's name; those of which something is known.
using ArrayHistories = std::map<std::string, ArrayHistory>;

/// "ComputeType=float16", a line each for what is known; "" where nothing is.
[[nodiscard]] std::string to_comment(const ArrayHistory& history);

/// Lines of other writers say nothing.
[[nodiscard]] ArrayHistory history_from_comment(std::string_view comment);

}  // namespace npuscope
