// The distinct tensors of a recording in their order, with the ops that made and that took them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compare/relate/rank_form.h"
#include "compare/relate/sketch.h"
#include "compare/relate/view.h"
#include "core/recording/source.h"

namespace npuscope::compare {

inline constexpr size_t kNoTensor = static_cast<size_t>(-1);

/// A result of an op, or an input that holds no earlier result's elements.
struct ListedTensor {
    size_t op = 0;      ///< index into Source::ops
    size_t number = 0;  ///< index into what the op loads
    dumpfile::Direction direction = dumpfile::Direction::kOutput;
    std::string argument{};
    std::string path{};
    Shape shape{};
    bool is_float = true;
    Sketch sketch{};
    std::vector<size_t> users{};  ///< ops that take it in, ascending
    std::optional<View> kept{};   ///< what of the recorded tensor this is; empty: all of it
    size_t twin = 0;  ///< the first tensor with these elements in this order, itself at first
    RankForm form = RankForm::kAlone;

    [[nodiscard]] bool is_given() const { return direction == dumpfile::Direction::kInput; }
};

/// One input of an op and the tensor whose elements it holds.
struct TensorUse {
    size_t op = 0;
    size_t number = 0;  ///< index into what the op loads
    std::string argument{};
    std::string path{};
    Shape shape{};
    bool in_place = false;  ///< a result of its name is this tensor, written over
    size_t tensor = kNoTensor;
};

struct Listing {
    std::vector<ListedTensor> tensors;     ///< in the order of recording
    std::vector<TensorUse> uses;           ///< all inputs, by op; of what is given the first, too
    std::vector<std::vector<size_t>> in;   ///< of each op the tensors that it takes in
    std::vector<std::vector<size_t>> out;  ///< of each op the tensors that it made
};

/// Complexity: a pass over all elements, in parallel; elements that tensors share are read once.
/// Memory: about a kilobyte a tensor. What has no elements, or cannot be read, is not listed.
[[nodiscard]] Listing list_tensors(const Source& source, int threads = 0);

/// Whether two tensors are readings of one: a tensor of several ranks as its shards, or as a sum.
[[nodiscard]] bool are_readings(const Listing& side, size_t one, size_t other);

/// The elements of a listed tensor. Errors: Error.
[[nodiscard]] std::unique_ptr<ElementSource> open_listed(const Source& source,
                                                         const ListedTensor& tensor);
/// The same to be read several times: what is not large is in memory.
[[nodiscard]] std::unique_ptr<ElementSource> open_listed_for_many(const Source& source,
                                                                  const ListedTensor& tensor);

}  // namespace npuscope::compare
