#include "compare/dataflow/single_numbers.h"

#include <fmt/format.h>

#include "core/dtype/dtype.h"

namespace npuscope::compare {

namespace {

/// Of a number that is written: a power of two, or little more.
constexpr int kFewBits = 8;

/// How many ops before, at most, the number, or a tensor full of it, was made.
constexpr size_t kNumberBefore = 8;

bool is_plain(const TracedTensor& tensor) {
    return told_bits(tensor.content->first) <= kFewBits;
}

}  // namespace

bool is_number_expanded(const Dataflow& flow, const TracedTensor& tensor) {
    if (!tensor.content->constant || tensor.content->numel == 1) return false;
    const bool is_far = is_plain(tensor) && tensor.op > kNumberBefore;
    const size_t first = is_far ? tensor.op - kNumberBefore : 0;
    for (size_t i = flow.first[first]; i < flow.first[tensor.op]; ++i) {
        const TracedTensor& made = flow.tensors[i];
        if (made.direction == dumpfile::Direction::kOutput && made.content &&
            made.content->constant && made.content->numel > 0 &&
            tensor.content->numel % made.content->numel == 0 &&
            made.content->first == tensor.content->first)
            return true;
    }
    return false;
}

std::vector<size_t> numbers_expanded(const Dataflow& flow, const TracedTensor& tensor) {
    std::vector<size_t> numbers;
    if (!tensor.content || !tensor.content->constant || tensor.content->numel <= 1 ||
        is_plain(tensor))
        return numbers;
    for (size_t i = flow.first[tensor.op]; i-- > 0;) {
        const TracedTensor& made = flow.tensors[i];
        if (made.direction == dumpfile::Direction::kOutput && made.content &&
            made.content->constant && made.content->numel > 0 &&
            tensor.content->numel % made.content->numel == 0 &&
            made.content->first == tensor.content->first)
            numbers.push_back(i);
    }
    return numbers;
}

bool is_written_number(const TracedTensor& tensor) {
    if (tensor.dtype != name_of(DType::kFloat64) || !tensor.shape.empty() || !tensor.content)
        return false;
    return fmt::format("{:.4g}", tensor.content->first) ==
               fmt::format("{:.9g}", tensor.content->first) ||
           told_bits(tensor.content->first) <= kFewBits;
}

}  // namespace npuscope::compare
