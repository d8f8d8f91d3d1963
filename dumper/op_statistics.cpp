#include "dumper/op_statistics.h"

#include <nlohmann/json.hpp>

#include "core/dumpfile/statistics.h"

namespace npuscope::dumper {

namespace {

using Json = nlohmann::ordered_json;

Json row_of(const Tensor& tensor) {
    const dumpfile::Statistics found = dumpfile::statistics_of(tensor);
    return {{"dtype", name_of(tensor.dtype())},
            {"shape", tensor.shape()},
            {"count", found.count},
            {"finite", found.finite},
            {"nan", found.nan},
            {"positive_inf", found.positive_inf},
            {"negative_inf", found.negative_inf},
            {"zero", found.zero},
            {"min", found.min},
            {"max", found.max},
            {"mean", found.mean},
            {"deviation", found.deviation}};
}

NamedValues without_tensors(const NamedValues& values) {
    NamedValues rest;
    for (const NamedValue& item : values)
        if (!std::holds_alternative<Tensor>(item.value) &&
            !std::holds_alternative<TensorList>(item.value))
            rest.push_back(item);
    return rest;
}

}  // namespace

dumpfile::OpRecord with_statistics(const dumpfile::OpRecord& record) {
    dumpfile::OpRecord told = record;
    Json facts = record.facts_json.empty() ? Json::object() : Json::parse(record.facts_json);
    Json& rows = facts["statistics"] = Json::object();
    const auto tell = [&](const NamedValues& values, const std::string& direction) {
        for_each_tensor(values, [&](const std::string& name, const Tensor& tensor) {
            rows[direction + "/" + name] = row_of(tensor);
        });
    };
    if (record.write_inputs) tell(record.inputs, "input");
    tell(record.outputs, "output");
    told.inputs = without_tensors(record.inputs);
    told.outputs = without_tensors(record.outputs);
    told.facts_json = facts.dump();
    return told;
}

}  // namespace npuscope::dumper
