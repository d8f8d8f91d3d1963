#include <nlohmann/json.hpp>

#include "core/base/json_value.h"
#include "diagnose/judge/judge_result.h"
#include "diagnose/kernels/mapping.h"

namespace npuscope::diagnose {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchema = 1;

Json tensor(const MappedTensor& row, bool output) {
    Json object = {{"dtype", row.dtype},
                   {"format", row.format},
                   {"shape", row.shape},
                   {"stored_shape", row.stored_shape}};
    if (!output) {
        object["from"] = text_or_null(row.from);
        return object;
    }
    object["result"] = text_or_null(row.result);
    const auto& judged = row.judged;
    object["verdict"] = judged ? Json(name_of(judged->judgement.verdict)) : Json(nullptr);
    object["rule"] = judged ? text_or_null(judged->judgement.rule) : Json(nullptr);
    object["introduced"] = judged ? number_json(judged->introduced) : Json(nullptr);
    object["total"] = judged ? number_json(judged->total) : Json(nullptr);
    return object;
}

Json kernel(const MappedKernel& row, size_t position) {
    Json object = {{"position", position},
                   {"type", row.type},
                   {"op_name", text_or_null(row.op_name)},
                   {"task_id", row.task_id},
                   {"stream_id", row.stream_id},
                   {"timestamp", row.timestamp},
                   {"files", row.files},
                   {"change", text_or_null(row.change)},
                   {"status", text_or_null(row.status)},
                   {"overflow", row.overflow},
                   {"verdict", row.verdict_name()},
                   {"rule", text_or_null(row.rule())},
                   {"introduced", number_json(row.introduced())},
                   {"total", number_json(row.total())},
                   {"inputs", Json::array()},
                   {"outputs", Json::array()}};
    for (const MappedTensor& input : row.inputs)
        object["inputs"].push_back(tensor(input, false));
    for (const MappedTensor& output : row.outputs)
        object["outputs"].push_back(tensor(output, true));
    return object;
}

Json op(const MappedOp& row) {
    Json object = {{"path", row.path},
                   {"node", text_or_null(row.node)},
                   {"computed_as", text_or_null(row.computed_as)},
                   {"skipped", text_or_null(row.skipped)},
                   {"match", text_or_null(row.match)},
                   {"first_culprit", nullptr},
                   {"results", Json::array()},
                   {"kernels", Json::array()}};
    if (row.first_culprit) object["first_culprit"] = *row.first_culprit;
    for (const compare::TensorResult& result : row.results)
        object["results"].push_back({{"name", result.argument},
                                     {"verdict", word_of(result.judgement)},
                                     {"error", number_json(compare::relative_error(result))},
                                     {"bound", held_to(result.judgement)}});
    for (size_t i = 0; i < row.kernels.size(); ++i)
        object["kernels"].push_back(kernel(row.kernels[i], i));
    return object;
}

}  // namespace

std::string to_json(const Mapping& mapping) {
    Json root = {{"version", kSchema},
                 {"source", mapping.source},
                 {"device", mapping.device},
                 {"reference", mapping.reference},
                 {"folder", text_or_null(mapping.folder)},
                 {"ops", Json::array()},
                 {"debug_files", mapping.debug_files},
                 {"remarks", mapping.remarks}};
    for (const MappedOp& row : mapping.ops)
        root["ops"].push_back(op(row));
    return json_text(root, 2) + "\n";
}

}  // namespace npuscope::diagnose
