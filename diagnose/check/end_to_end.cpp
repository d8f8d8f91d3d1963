#include "diagnose/check/end_to_end.h"

#include <algorithm>
#include <limits>

#include "core/dumpfile/layout.h"

namespace npuscope::diagnose {

namespace {

const compare::TensorResult* result_at(const compare::Result& comparison,
                                       const std::string& place) {
    for (const compare::OpResult& op : comparison.ops)
        for (const compare::TensorResult& tensor : op.tensors)
            if (tensor.target == place) return &tensor;
    return nullptr;
}

OutputDifference measured(const std::string& name, const compare::TensorResult& tensor) {
    OutputDifference found{.name = name, .incomparable = {}};
    if (tensor.golden.empty() || tensor.metrics.empty()) {
        found.incomparable = tensor.judgement.rule;
        return found;
    }
    found.is_float = is_float(dtype_from_name(tensor.dtype).value_or(DType::kFloat32));
    found.largest = tensor.sums.max_abs_g;
    found.max_abs = tensor.sums.nonfinite_differs > 0 ? std::numeric_limits<double>::infinity()
                                                      : tensor.sums.max_d;
    found.relative = compare::relative_error(tensor);
    return found;
}

}  // namespace

void ResultPlaces::op_end(const OpEnd& op) {
    if (op.recorded) {
        for_each_tensor(op.outputs, [&](const std::string& path, const Tensor& tensor) {
            // A result that is an input as it was keeps its first place.
            places_.emplace(tensor.storage_id(),
                            OpId{std::string(op.name), op.seqid}.path() + "/output/" + path);
        });
        return;
    }
    std::string from;
    for_each_tensor(op.inputs, [&](const std::string&, const Tensor& tensor) {
        if (from.empty()) from = place_of(tensor);
    });
    if (from.empty()) return;
    for_each_tensor(op.outputs, [&](const std::string&, const Tensor& tensor) {
        places_.emplace(tensor.storage_id(), from);
    });
}

std::string ResultPlaces::place_of(const Tensor& tensor) const {
    const auto found = places_.find(tensor.storage_id());
    return found == places_.end() ? std::string() : found->second;
}

std::vector<OutputDifference> outputs_by_dump(
    const std::vector<std::pair<std::string, std::string>>& places,
    const compare::Result& comparison) {
    std::vector<OutputDifference> differences;
    for (const auto& [name, place] : places) {
        const compare::TensorResult* tensor =
            place.empty() ? nullptr : result_at(comparison, place);
        if (tensor != nullptr) {
            differences.push_back(measured(name, *tensor));
            continue;
        }
        OutputDifference unknown{.name = name, .incomparable = {}};
        unknown.incomparable = place.empty() ? "no recorded op computes it"
                                             : "the golden has no counterpart of " + place;
        differences.push_back(std::move(unknown));
    }
    return differences;
}

}  // namespace npuscope::diagnose
