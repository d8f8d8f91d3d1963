// Which tensors of two recordings belong together, and how the elements of one make the other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/relate/listing.h"
#include "compare/relate/relation_kind.h"
#include "compare/relate/view.h"

namespace npuscope::compare {

/// Of a listed tensor of each side. Elements are compared as golden_view(golden) * scale + the sum
/// of more_golden, against target_view(target) + the sum of more_target.
struct TensorRelation {
    size_t target = kNoTensor;
    size_t golden = kNoTensor;
    RelationKind kind = RelationKind::kEqual;
    std::optional<View> target_view{};  ///< empty: as it is
    std::optional<View> golden_view{};
    std::vector<size_t> more_target{};
    std::vector<size_t> more_golden{};
    double scale = 1;
    double distance = 0;      ///< |t - g| / |g|, as far as it is known
    bool by_place = false;    ///< found by its place in the program
    int64_t slice_first = 0;  ///< of a part: where along its axis it begins, and how long it is
    int64_t slice_extent = 0;
    std::string text{};  ///< "its transpose"; "" of kEqual
};

/// Pairs one to one, and relations to parts and sums.
class Matches {
  public:
    Matches(const Listing& target, const Listing& golden)
        : target(target),
          golden(golden),
          of_target_(target.tensors.size(), kNoTensor),
          of_golden_(golden.tensors.size(), kNoTensor),
          target_parts_(target.tensors.size(), false),
          golden_parts_(golden.tensors.size(), false),
          target_others_(target.tensors.size(), false),
          golden_others_(golden.tensors.size(), false),
          wholes_of_targets_(target.tensors.size(), kNoTensor),
          wholes_of_goldens_(golden.tensors.size(), kNoTensor),
          twins_of_target_(target.tensors.size(), kNoTensor),
          twins_of_golden_(golden.tensors.size(), kNoTensor) {}

    void add(TensorRelation relation);
    void add_part(TensorRelation relation);
    /// Its terms stay what they are.
    void add_sum(TensorRelation relation);

    [[nodiscard]] size_t partner_of_target(size_t tensor) const { return of_target_[tensor]; }
    [[nodiscard]] size_t partner_of_golden(size_t tensor) const { return of_golden_[tensor]; }
    /// Of all tensors with the elements of this one: the first golden tensor with the elements of
    /// the partner of any of them.
    [[nodiscard]] size_t twin_of_target(size_t tensor) const {
        return twins_of_target_[target.tensors[tensor].twin];
    }
    [[nodiscard]] size_t twin_of_golden(size_t tensor) const {
        return twins_of_golden_[golden.tensors[tensor].twin];
    }
    [[nodiscard]] bool is_one_to_one(const TensorRelation& relation) const {
        return of_target_[relation.target] == relation.golden;
    }
    /// Whether another part lies where this one does, or it is a part of another whole.
    [[nodiscard]] bool is_held(const TensorRelation& part) const;
    /// Neither paired nor part or whole of others, nor read otherwise.
    [[nodiscard]] bool is_free_target(size_t tensor) const {
        return of_target_[tensor] == kNoTensor && !target_parts_[tensor] && !target_others_[tensor];
    }
    [[nodiscard]] bool is_free_golden(size_t tensor) const {
        return of_golden_[tensor] == kNoTensor && !golden_parts_[tensor] && !golden_others_[tensor];
    }
    /// Neither it nor another reading is free any more.
    void leave_out(bool of_target, size_t tensor);
    /// Whether another reading of the tensor is related, or it is left out.
    [[nodiscard]] bool is_read_otherwise(bool of_target, size_t tensor) const {
        return of_target ? target_others_[tensor] : golden_others_[tensor];
    }
    [[nodiscard]] std::vector<size_t> free_targets() const;
    [[nodiscard]] std::vector<size_t> free_goldens() const;
    [[nodiscard]] const std::vector<TensorRelation>& relations() const { return relations_; }

    const Listing& target;
    const Listing& golden;

  private:
    void leave_other_readings(bool of_target, size_t tensor);

    std::vector<size_t> of_target_;
    std::vector<size_t> of_golden_;
    std::vector<bool> target_parts_;
    std::vector<bool> golden_parts_;
    std::vector<bool> target_others_;
    std::vector<bool> golden_others_;
    std::vector<size_t> wholes_of_targets_;  ///< of parts the twin of what they are parts of
    std::vector<size_t> wholes_of_goldens_;
    std::vector<size_t> twins_of_target_;
    std::vector<size_t> twins_of_golden_;
    std::vector<TensorRelation> relations_;
};

/// The elements of `from` in their order as a tensor of shape `to`, in words; "" where the shapes
/// are the same.
[[nodiscard]] TensorRelation relation_in_order(const Matches& matches,
                                               size_t target,
                                               size_t golden);

}  // namespace npuscope::compare
