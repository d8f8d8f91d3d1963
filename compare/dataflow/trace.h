// Which op made what an op takes in: recordings leave views and casts out, so the elements tell.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compare/dataflow/content.h"
#include "core/recording/source.h"

namespace npuscope::compare {

/// How an input holds what an earlier op made.
enum class Passage : uint8_t {
    kNone,       ///< no earlier op made it
    kAsIs,       ///< the elements in their order: itself, a reshape, a copy, a wider dtype
    kReordered,  ///< the elements in another order
    kRounded,    ///< rounded to a narrower dtype, in whatever order
    kPart,       ///< some of the elements, or some several times
};

/// A tensor of an op as recorded.
struct TracedTensor {
    size_t op = 0;  ///< index into Source::ops
    dumpfile::Direction direction = dumpfile::Direction::kInput;
    std::string argument;
    std::string path;
    std::string dtype;
    Shape shape;
    std::optional<Content> content;  ///< empty: its elements were not recorded or cannot be read
    /// Of a tensor by its statistics: their hash.
    std::optional<uint64_t> print{};

    /// Of an input: the latest earlier output with its elements, or its statistics where these are
    /// all that was recorded; index into Dataflow::tensors.
    std::optional<size_t> producer;
    Passage passage = Passage::kNone;
    /// The elements are so plain (zeros, ones, a short mask) that the producer is a guess.
    bool ambiguous = false;
    /// Of an input that nothing made: the first such input with its elements, itself at first.
    std::optional<size_t> given;
};

struct Dataflow {
    std::vector<TracedTensor> tensors;  ///< op by op, each op's in the order of SourceOp::load()
    std::vector<size_t> first;          ///< of each op its first tensor; one more at the end

    [[nodiscard]] std::span<const TracedTensor> of_op(size_t op) const {
        return std::span(tensors).subspan(first[op], first[op + 1] - first[op]);
    }
};

/// Complexity: one pass over all elements; another one over outputs of which some input may be a
/// cast. Memory: hashes only. Ops whose tensors cannot be listed have none. `threads` 0: all cores;
/// the result does not depend on it. Threads: any.
[[nodiscard]] Dataflow trace(const Source& source, int threads = 0);

/// The elements of a tensor of the trace. Errors: Error.
[[nodiscard]] std::unique_ptr<ElementSource> open_traced(const Source& source,
                                                         const Dataflow& flow,
                                                         size_t tensor);

/// Sets TracedTensor::given of all inputs, after producers were found.
void number_givens(Dataflow& flow);

}  // namespace npuscope::compare
