#include "compare/dataflow/find_columns.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "compare/dataflow/tensor_pass.h"
#include "compare/dataflow/view.h"
#include "core/dtype/dtype.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// From one element to the next: so many are no chance.
constexpr int kFewestChanges = 8;

bool holds_whole_numbers(const TracedTensor& tensor) {
    const auto dtype = dtype_from_name(tensor.dtype);
    return tensor.content && dtype && !is_float(*dtype) && *dtype != DType::kBool;
}

bool changes_often(const Tensor& numbers) {
    int changes = 0;
    for (int64_t i = 1; i < numbers.numel() && changes < kFewestChanges; ++i)
        changes += numbers.at(i) != numbers.at(i - 1) ? 1 : 0;
    return changes >= kFewestChanges;
}

/// The length of a column and of a row, the shorter axis being that of the places.
bool may_hold(const TracedTensor& output, const TracedTensor& input) {
    return output.op < input.op && output.shape.size() == 2 &&
           std::min(output.shape[0], output.shape[1]) <= kMostColumns &&
           std::max(output.shape[0], output.shape[1]) == input.content->numel &&
           output.shape[0] != output.shape[1];
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
    std::vector<std::optional<Tensor>> numbers(open.size());
    for_each_traced(source, flow, open, threads, [&](size_t at, const ElementSource& elements) {
        numbers[at] = elements.whole();
    });
    std::vector<size_t> outputs;
    for (size_t i = 0; i < flow.tensors.size(); ++i) {
        const TracedTensor& output = flow.tensors[i];
        if (output.direction == Direction::kOutput && holds_whole_numbers(output) &&
            std::ranges::any_of(
                open, [&](size_t input) { return may_hold(output, flow.tensors[input]); }))
            outputs.push_back(i);
    }
    std::vector<std::optional<Tensor>> tables(outputs.size());
    for_each_traced(source, flow, outputs, threads, [&](size_t at, const ElementSource& elements) {
        tables[at] = elements.whole();
    });
    for (size_t i = 0; i < open.size(); ++i) {
        TracedTensor& input = flow.tensors[open[i]];
        if (!numbers[i] || !changes_often(*numbers[i])) continue;
        for (size_t at = 0; at < outputs.size(); ++at) {
            const TracedTensor& output = flow.tensors[outputs[at]];
            if (!tables[at] || !may_hold(output, input) ||
                !column_view(numbers[i]->reshaped({numbers[i]->numel()}), *tables[at]))
                continue;
            input.producer = outputs[at];
            input.passage = Passage::kPart;
        }
    }
}

}  // namespace npuscope::compare
