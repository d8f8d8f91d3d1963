// What each pair of ops took in, and which pair made it: the way that errors go.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compare/compare.h"
#include "compare/dataflow/paired_flows.h"

namespace npuscope::compare {

struct Inflow {
    /// Of the target's flow; of the golden's where the target recorded no inputs.
    size_t tensor = 0;
    const TensorResult* compared = nullptr;  ///< nullptr where the input itself was not compared
    std::optional<size_t> maker{};           ///< pair that made it, index into Plan::ops
    double error = 0;  ///< max|t-g| / max|g|, of what the maker gave where it was not compared
};

/// max|t-g| / max|g| where a tensor was measured, 0 elsewhere; infinity where only one side is
/// finite.
[[nodiscard]] double error_of(const TensorResult& tensor);

/// Of a free run. Borrows both and their texts, and reads no elements.
class Inflows {
  public:
    Inflows(const PairedFlows& flows, const Result& result);

    [[nodiscard]] std::vector<Inflow> of(size_t pair) const;
    /// Whether no recorded op takes in what the pair made.
    [[nodiscard]] bool is_last(const OpResult& op, const TensorResult& output) const;
    /// The side's tensor of that path.
    [[nodiscard]] std::optional<size_t> place_of(std::string_view path) const {
        const auto found = places_.find(path);
        return found == places_.end() ? std::nullopt : std::optional(found->second);
    }
    /// The side that inputs are known of.
    [[nodiscard]] const Side& side() const { return *side_; }
    [[nodiscard]] bool by_target() const { return by_target_; }

  private:
    const PairedFlows& flows_;
    bool by_target_ = true;
    const Side* side_ = nullptr;
    std::vector<std::optional<size_t>> pair_of_;                       ///< by the side's op
    std::unordered_map<std::string_view, const TensorResult*> known_;  ///< by the side's path
    std::vector<bool> consumed_;                                       ///< by the side's tensor
    std::unordered_map<std::string_view, size_t> places_;  ///< the side's tensors by path
};

/// Whether an op takes in that tensor of the side's.
[[nodiscard]] bool is_tensor_taken_in(const Side& side, size_t made);

/// Whether an op takes in what the side's op of that index made.
[[nodiscard]] bool is_taken_in(const Side& side, size_t op);

}  // namespace npuscope::compare
