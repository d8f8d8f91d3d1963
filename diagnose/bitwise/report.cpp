#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/json_value.h"
#include "core/base/printable.h"
#include "diagnose/bitwise/bitwise.h"

namespace npuscope::diagnose {

namespace {

using Json = nlohmann::ordered_json;

std::string_view words_of(PartedBy by) {
    if (by == PartedBy::kOp) return "equal inputs, unequal results";
    return by == PartedBy::kInputs ? "its inputs differ already"
                                   : "unequal results; its inputs were not recorded";
}

std::string tensor_line(const PartedTensor& tensor, PartedBy by) {
    std::string line = fmt::format("         {} {}{}",
                                   printable(tensor.path),
                                   printable(tensor.dtype),
                                   to_string(tensor.shape));
    const Difference& found = tensor.difference;
    if (!tensor.other.empty()) {
        line += ": the other run's is " + printable(tensor.other);
    } else if (found.count > 0) {
        line += fmt::format(": {} of {} elements differ", found.count, found.numel);
        if (!found.where.empty()) line += ", " + found.where;
        if (found.largest > 0) line += fmt::format(", by at most {:.3g}", found.largest);
        if (found.ulps > 0) line += fmt::format(" ({:.3g} ulps of the largest)", found.ulps);
    }
    if (by == PartedBy::kInputs)
        line +=
            tensor.made_by.empty()
                ? "; no recorded op made it: it was given to the program, or made by an op that "
                  "is not recorded"
                : "; " + printable(tensor.made_by) +
                      " made it, equal in both: it was changed before it was read";
    return line + "\n";
}

std::string parting_text(const Parting& parting) {
    std::string text = "first    " + printable(parting.path);
    if (!parting.place.empty()) text += " (" + printable(parting.place) + ")";
    text += fmt::format(": {}\n", words_of(parting.by));
    for (const PartedTensor& tensor : parting.tensors)
        text += tensor_line(tensor, parting.by);
    return text + fmt::format("manner   {}\n", words_of(parting.manner));
}

std::string rest_text(const RunAgainst& run) {
    const bool first_is_origin = run.parting->by != PartedBy::kInputs;
    const int64_t origins = run.origins - (first_is_origin ? 1 : 0);
    const int64_t inherited = run.inherited - (first_is_origin ? 0 : 1);
    if (origins + inherited == 0) return {};
    std::string text =
        fmt::format("then     {} op{} given other inputs, {} with equal inputs and unequal results",
                    inherited,
                    inherited == 1 ? "" : "s",
                    origins);
    for (size_t i = 0; i < run.others.size(); ++i)
        text += (i == 0 ? ": " : ", ") + printable(run.others[i]);
    return text + "\n";
}

Json tensor_json(const PartedTensor& tensor) {
    const Difference& found = tensor.difference;
    Json json = {{"tensor", tensor.path},
                 {"dtype", tensor.dtype},
                 {"shape", tensor.shape},
                 {"other", text_or_null(tensor.other)},
                 {"manner", key_of(found.manner)},
                 {"differing", found.count},
                 {"elements", found.numel},
                 {"largest", number_json(found.largest)},
                 {"ulps", number_json(found.ulps)},
                 {"block", text_or_null(found.where)}};
    json["made_by"] = text_or_null(tensor.made_by);
    return json;
}

Json parting_json(const Parting& parting) {
    Json json = {{"op", parting.path},
                 {"place", text_or_null(parting.place)},
                 {"by", key_of(parting.by)},
                 {"manner", key_of(parting.manner)},
                 {"tensors", Json::array()}};
    for (const PartedTensor& tensor : parting.tensors)
        json["tensors"].push_back(tensor_json(tensor));
    return json;
}

}  // namespace

std::string bitwise_text(const BitwiseReport& report) {
    std::string text;
    for (const RunAgainst& run : report.runs) {
        text += fmt::format("{} against {}\n{} ops, {} tensors compared: {} ops equal\n",
                            printable(run.path.string()),
                            printable(report.first.string()),
                            run.ops,
                            run.tensors,
                            run.equal_ops);
        if (run.incomparable > 0)
            text += fmt::format("{} tensors have neither elements nor hashes of one kind\n",
                                run.incomparable);
        if (run.ignored_tensors > 0)
            text += fmt::format(
                "ignored: {} elements of {} tensors\n", run.ignored_elements, run.ignored_tensors);
        if (run.only_in_first + run.only_here > 0)
            text += fmt::format("{} ops are in the first run only, {} in the other only: {}\n",
                                run.only_in_first,
                                run.only_here,
                                printable(run.first_unpaired));
        if (run.parting) text += parting_text(*run.parting) + rest_text(run);
        text += std::string("verdict: ") + (run.equal() ? "equal" : "different") + "\n";
    }
    return text;
}

std::string bitwise_json(const BitwiseReport& report) {
    Json json = {{"version", 1},
                 {"first", report.first.string()},
                 {"verdict", report.equal() ? "equal" : "different"},
                 {"runs", Json::array()}};
    for (const RunAgainst& run : report.runs)
        json["runs"].push_back({{"path", run.path.string()},
                                {"verdict", run.equal() ? "equal" : "different"},
                                {"ops", run.ops},
                                {"equal_ops", run.equal_ops},
                                {"tensors", run.tensors},
                                {"incomparable_tensors", run.incomparable},
                                {"ignored_tensors", run.ignored_tensors},
                                {"ignored_elements", run.ignored_elements},
                                {"origins", run.origins},
                                {"inherited", run.inherited},
                                {"only_in_first", run.only_in_first},
                                {"only_here", run.only_here},
                                {"first_unpaired", text_or_null(run.first_unpaired)},
                                {"parting", run.parting ? parting_json(*run.parting) : Json()},
                                {"other_origins", run.others}});
    json["notes"] = report.notes;
    return json_text(json, 2) + "\n";
}

}  // namespace npuscope::diagnose
