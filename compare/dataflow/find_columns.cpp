#include "compare/dataflow/find_columns.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "compare/dataflow/tensor_pass.h"
#include "core/dtype/dtype.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// From one element to the next: so many are no chance.
constexpr int kFewestChanges = 8;
/// Axes of what is indexed; a tensor of more columns is no list of places.
constexpr int64_t kMostColumns = 8;

bool holds_whole_numbers(const TracedTensor& tensor) {
    const auto dtype = dtype_from_name(tensor.dtype);
    return tensor.content && dtype && !is_float(*dtype) && *dtype != DType::kBool;
}

std::vector<int64_t> whole_numbers(const ElementSource& elements) {
    const Tensor wide = elements.whole().cast(DType::kInt64);
    const auto numbers = wide.as<int64_t>();
    return {numbers.begin(), numbers.end()};
}

int changes_of(const std::vector<int64_t>& numbers) {
    int changes = 0;
    for (size_t i = 1; i < numbers.size() && changes < kFewestChanges; ++i)
        changes += numbers[i] != numbers[i - 1] ? 1 : 0;
    return changes;
}

/// The length of a column and of a row, the shorter axis being that of the places.
bool may_hold(const TracedTensor& output, const TracedTensor& input) {
    return output.op < input.op && output.shape.size() == 2 &&
           std::min(output.shape[0], output.shape[1]) <= kMostColumns &&
           std::max(output.shape[0], output.shape[1]) == input.content->numel &&
           output.shape[0] != output.shape[1];
}

bool is_column(const std::vector<int64_t>& numbers,
               const std::vector<int64_t>& table,
               const Shape& shape) {
    const bool are_rows = shape[0] < shape[1];
    const auto columns = static_cast<size_t>(std::min(shape[0], shape[1]));
    const size_t stride = are_rows ? 1 : columns;
    for (size_t column = 0; column < columns; ++column) {
        const size_t first = are_rows ? column * numbers.size() : column;
        size_t i = 0;
        while (i < numbers.size() && table[first + i * stride] == numbers[i])
            ++i;
        if (i == numbers.size()) return true;
    }
    return false;
}

}  // namespace

void find_columns(const Source& source,
                  Dataflow& flow,
                  const std::vector<size_t>& inputs,
                  int threads) {
    std::vector<size_t> open;
    for (const size_t input : inputs)
        if (!flow.tensors[input].producer && holds_whole_numbers(flow.tensors[input]))
            open.push_back(input);
    if (open.empty()) return;
    std::vector<std::vector<int64_t>> numbers(open.size());
    for_each_traced(source, flow, open, threads, [&](size_t at, const ElementSource& elements) {
        numbers[at] = whole_numbers(elements);
    });
    std::vector<size_t> outputs;
    for (size_t i = 0; i < flow.tensors.size(); ++i) {
        const TracedTensor& output = flow.tensors[i];
        if (output.direction == Direction::kOutput && holds_whole_numbers(output) &&
            std::ranges::any_of(
                open, [&](size_t input) { return may_hold(output, flow.tensors[input]); }))
            outputs.push_back(i);
    }
    std::vector<std::vector<int64_t>> tables(outputs.size());
    for_each_traced(source, flow, outputs, threads, [&](size_t at, const ElementSource& elements) {
        tables[at] = whole_numbers(elements);
    });
    for (size_t i = 0; i < open.size(); ++i) {
        TracedTensor& input = flow.tensors[open[i]];
        if (changes_of(numbers[i]) < kFewestChanges) continue;
        for (size_t at = 0; at < outputs.size(); ++at) {
            const TracedTensor& output = flow.tensors[outputs[at]];
            if (tables[at].empty() || !may_hold(output, input) ||
                !is_column(numbers[i], tables[at], output.shape))
                continue;
            input.producer = outputs[at];
            input.passage = Passage::kPart;
        }
    }
}

}  // namespace npuscope::compare
