// Ops that turn and repeat tensors.
#include <algorithm>
#include <array>

#include "npu_backend/memory/strided.h"
#include "npu_backend/ops/lowering.h"
#include "npu_backend/ops/promotion.h"

namespace npuscope::backend {

namespace {

void lower_flip(Lowering& op) {
    const Tensor& self = op.raw("self");
    IntList axes;
    for (const int64_t dim : op.ints("dims")) {
        axes.push_back(normalized_axis(dim, self.ndim()));
        if (std::count(axes.begin(), axes.end(), axes.back()) > 1)
            op.reject("a dim is given twice");
    }
    if (self.ndim() == 0) axes.clear();
    op.result(op.launch("ReverseV2", {self}, {{"axis", axes}}), self.dtype());
}

/// Without dims the tensor is rolled as a vector.
void lower_roll(Lowering& op) {
    const Tensor& self = op.raw("self");
    const IntList& shifts = op.ints("shifts");
    IntList axes;
    for (const int64_t dim : op.ints("dims"))
        axes.push_back(normalized_axis(dim, self.ndim()));
    const bool flat = axes.empty();
    if (shifts.size() != (flat ? 1 : axes.size())) op.reject("shifts and dims differ in length");
    const Tensor y = op.launch("Roll",
                               {flat ? self.reshaped({-1}) : self},
                               {{"shifts", shifts}, {"dims", flat ? IntList{0} : axes}});
    op.result(y.reshaped(self.shape()), self.dtype());
}

void lower_repeat(Lowering& op) {
    const Tensor& self = op.raw("self");
    if (static_cast<int64_t>(op.ints("repeats").size()) < self.ndim())
        op.reject("repeats has fewer numbers than self dimensions");
    op.result(op.launch("Tile", {self}, {{"multiples", op.ints("repeats")}}), self.dtype());
}

void lower_repeat_interleave(Lowering& op) {
    Tensor self = op.raw("self");
    const int64_t repeats = op.integer("repeats");
    if (repeats < 0) op.reject("repeats must not be negative");
    if (!op.has("dim")) self = self.reshaped({-1});
    if (self.ndim() == 0) self = self.reshaped({1});
    const auto axis = static_cast<size_t>(
        op.has("dim") ? normalized_axis(op.integer("dim"), self.ndim()) : int64_t{0});
    Shape split = self.shape();
    split.insert(split.begin() + static_cast<int64_t>(axis) + 1, 1);
    IntList multiples(split.size(), 1);
    multiples[axis + 1] = repeats;
    Shape shape = self.shape();
    shape[axis] *= repeats;
    op.result(op.launch("Tile", {self.reshaped(split)}, {{"multiples", multiples}}).reshaped(shape),
              self.dtype());
}

}  // namespace

std::span<const OpRow> moves_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "flip(Tensor self, int[] dims) -> Tensor",
         .launches = {"ReverseV2"},
         .source = "table",
         .lower = lower_flip},
        {.schema = "roll(Tensor self, int[1] shifts, int[1] dims=[]) -> Tensor",
         .launches = {"Roll"},
         .source = "table",
         .lower = lower_roll},
        {.schema = "repeat(Tensor self, int[] repeats) -> Tensor",
         .launches = {"Tile"},
         .source = "table",
         .lower = lower_repeat},
        {.schema = "repeat_interleave.self_int(Tensor self, int repeats, int? dim=None, *, int? "
                   "output_size=None) -> Tensor",
         .launches = {"Tile"},
         .note = "Tile (CANN: TileWithAxis)",
         .lower = lower_repeat_interleave},
    });
    return kRows;
}

}  // namespace npuscope::backend
