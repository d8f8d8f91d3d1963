// A tensor of a run of an op on either side, and what the one is of the other.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "compare/relate/relation_kind.h"
#include "compare/relate/view.h"
#include "core/recording/source.h"

namespace npuscope::compare {

/// Borrows the source.
struct TensorPlace {
    const SourceOp* op = nullptr;
    size_t number = 0;  ///< index into what the op loads
    std::string path{};

    friend bool operator==(const TensorPlace& one, const TensorPlace& other) {
        return one.op == other.op && one.number == other.number;
    }
};

/// As TensorRelation, by places.
struct TensorTie {
    TensorPlace target;
    TensorPlace golden;
    dumpfile::Direction direction = dumpfile::Direction::kOutput;
    RelationKind kind = RelationKind::kEqual;
    std::optional<View> target_view{};
    std::optional<View> golden_view{};
    std::vector<TensorPlace> more_target{};
    std::vector<TensorPlace> more_golden{};
    double scale = 1;
    double distance = 0;
    bool by_place = false;
    std::string text{};

    /// "permuted: its transpose", "by place", "" of equal ones that their elements paired.
    [[nodiscard]] std::string words() const;
    /// The same elements in the same shape.
    [[nodiscard]] bool is_plain() const {
        return (kind == RelationKind::kEqual || kind == RelationKind::kUnlike) && !target_view &&
               !golden_view && more_target.empty() && more_golden.empty() && scale == 1;
    }
};

/// Both tensors as they are to be compared: arranged, summed, scaled; the target keeps its argument
/// and path. Their elements are made when they are opened. Errors: those of SourceOp::load; what
/// cannot be made is told when it is opened.
struct TiedTensors {
    SourceTensor target;
    SourceTensor golden;
};
[[nodiscard]] TiedTensors tensors_of(const TensorTie& tie);

}  // namespace npuscope::compare
