#include "core/dumpfile/facts.h"

#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/base/json_value.h"
#include "core/base/parse_json.h"

namespace npuscope::dumpfile {

namespace {

/// Keeps the order of the text.
using Json = nlohmann::ordered_json;

/// Empty unless it is a list of numbers that can be strides.
std::vector<int64_t> strides_of(const Json& list) {
    std::vector<int64_t> strides;
    if (!list.is_array()) return strides;
    for (const auto& stride : list) {
        constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
        if (!stride.is_number_unsigned() || stride.get<uint64_t>() > kMost) return {};
        strides.push_back(stride.get<int64_t>());
    }
    return strides;
}

bool flag_at(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_boolean() && found->get<bool>();
}

std::vector<GivenFact> given_of(const Json& facts) {
    std::vector<GivenFact> given;
    const auto rows = facts.find("given");
    if (rows == facts.end() || !rows->is_array()) return given;
    for (const auto& row : *rows)
        if (row.is_object() && !text_at(row, "input").empty())
            given.push_back({text_at(row, "input"), text_at(row, "how"), flag_at(row, "number")});
    return given;
}

Json given_json(const std::vector<GivenFact>& given) {
    auto rows = Json::array();
    for (const GivenFact& fact : given) {
        rows.push_back({{"input", fact.input}, {"how", fact.how}});
        if (fact.is_number) rows.back()["number"] = true;
    }
    return rows;
}

Json statistics_json(const std::vector<std::pair<std::string, TensorFacts>>& tensors) {
    auto rows = Json::object();
    for (const auto& [path, tensor] : tensors) {
        const Statistics& found = tensor.statistics;
        rows[path] = {{"dtype", name_of(tensor.dtype)},
                      {"shape", tensor.shape},
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
    return rows;
}

/// Whole and not negative.
std::optional<int64_t> count_at(const Json& object, const char* key) {
    constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
    const auto found = object.find(key);
    if (found == object.end() || !found->is_number_unsigned() || found->get<uint64_t>() > kMost)
        return std::nullopt;
    return found->get<int64_t>();
}

std::optional<double> number_at(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_number() ? std::optional(found->get<double>())
                                                       : std::nullopt;
}

/// Empty where a number is missing or none that statistics have.
std::optional<TensorFacts> tensor_facts_of(const Json& row) {
    if (!row.is_object()) return std::nullopt;
    const auto dtype = dtype_from_name(text_at(row, "dtype"));
    const auto shape = row.find("shape");
    if (!dtype || shape == row.end() || !shape->is_array()) return std::nullopt;
    TensorFacts facts{.dtype = *dtype, .shape = strides_of(*shape), .statistics = {}};
    if (facts.shape.size() != shape->size()) return std::nullopt;
    Statistics& found = facts.statistics;
    for (const auto& [key, count] : {std::pair("count", &found.count),
                                     {"finite", &found.finite},
                                     {"nan", &found.nan},
                                     {"positive_inf", &found.positive_inf},
                                     {"negative_inf", &found.negative_inf},
                                     {"zero", &found.zero}}) {
        const auto number = count_at(row, key);
        if (!number) return std::nullopt;
        *count = *number;
    }
    for (const auto& [key, value] : {std::pair("min", &found.min),
                                     {"max", &found.max},
                                     {"mean", &found.mean},
                                     {"deviation", &found.deviation}}) {
        const auto number = number_at(row, key);
        if (!number) return std::nullopt;
        *value = *number;
    }
    return facts;
}

std::optional<std::vector<std::pair<std::string, TensorFacts>>> statistics_in(const Json& facts) {
    const auto rows = facts.find("statistics");
    if (rows == facts.end() || !rows->is_object()) return std::nullopt;
    std::vector<std::pair<std::string, TensorFacts>> tensors;
    for (const auto& [path, row] : rows->items())
        if (auto tensor = tensor_facts_of(row)) tensors.emplace_back(path, std::move(*tensor));
    return tensors;
}

Json hashes_json(const std::vector<std::pair<std::string, HashedTensor>>& tensors) {
    auto rows = Json::object();
    for (const auto& [path, tensor] : tensors)
        rows[path] = {name_of(tensor.dtype), tensor.shape, tensor.hash};
    return rows;
}

std::optional<std::vector<std::pair<std::string, HashedTensor>>> hashes_in(const Json& facts) {
    const auto rows = facts.find("hashes");
    if (rows == facts.end() || !rows->is_object()) return std::nullopt;
    std::vector<std::pair<std::string, HashedTensor>> tensors;
    for (const auto& [path, row] : rows->items()) {
        if (!row.is_array() || row.size() != 3 || !row[0].is_string() || !row[1].is_array() ||
            !row[2].is_string())
            continue;
        const auto dtype = dtype_from_name(row[0].get<std::string>());
        Shape shape = strides_of(row[1]);
        if (dtype && shape.size() == row[1].size())
            tensors.push_back({path, {*dtype, std::move(shape), row[2].get<std::string>()}});
    }
    return tensors;
}

}  // namespace

OpFacts parse_facts(const std::string& json) {
    OpFacts facts;
    const auto parsed = parse_json<Json>(json);
    if (!parsed.is_object()) return facts;
    const auto text = [&](const char* key) { return text_at(parsed, key); };
    facts.source.node = text("node");
    facts.source.module = text("module");
    facts.source.line = text("line");
    facts.source.autograd = text("autograd");
    facts.source.fallback = text("fallback");
    facts.golden = text("golden");
    const auto number = [&](const char* key, int64_t absent) {
        const auto found = parsed.find(key);
        return found != parsed.end() && found->is_number_integer() ? found->get<int64_t>() : absent;
    };
    facts.source.thread = number("thread", 0);
    facts.source.step = number("step", -1);
    facts.by_alias = flag_at(parsed, "alias");
    facts.given = given_of(parsed);
    facts.statistics = statistics_in(parsed);
    facts.hashes = hashes_in(parsed);
    if (const auto kernels = parsed.find("kernels"); kernels != parsed.end() && kernels->is_array())
        for (const auto& kernel : *kernels)
            if (kernel.is_string()) facts.kernels.push_back(kernel.get<std::string>());
    if (const auto rows = parsed.find("strides"); rows != parsed.end() && rows->is_object())
        for (const auto& [path, list] : rows->items())
            if (auto strides = strides_of(list); !strides.empty())
                facts.strides.emplace(path, std::move(strides));
    if (const auto rows = parsed.find("words"); rows != parsed.end() && rows->is_object())
        for (const auto& [argument, word] : rows->items())
            if (word.is_string()) facts.words.emplace(argument, word.get<std::string>());
    const auto status = parsed.find("status");
    if (status == parsed.end() || !status->is_object()) return facts;
    if (const auto bits = status->find("bits"); bits != status->end() && bits->is_number_unsigned())
        facts.status = FloatStatus{.bits = bits->get<uint64_t>()};
    facts.overflow = facts.status && facts.status->overflow();
    const auto overflow = status->find("overflow");
    if (overflow != status->end() && overflow->is_boolean()) {
        if (!facts.status) facts.status = FloatStatus{};
        facts.overflow = overflow->get<bool>();
    }
    return facts;
}

std::string to_json(const OpFacts& facts) {
    Json json;
    const auto add = [&](const char* key, const std::string& text) {
        if (!text.empty()) json[key] = text;
    };
    add("node", facts.source.node);
    add("module", facts.source.module);
    add("line", facts.source.line);
    add("autograd", facts.source.autograd);
    add("fallback", facts.source.fallback);
    if (facts.source.thread > 0) json["thread"] = facts.source.thread;
    if (facts.source.step >= 0) json["step"] = facts.source.step;
    if (facts.status) {
        json["kernels"] = facts.kernels;
        json["status"] = {{"bits", facts.status->bits}, {"overflow", facts.overflow}};
    }
    add("golden", facts.golden);
    if (facts.by_alias) json["alias"] = true;
    if (!facts.given.empty()) json["given"] = given_json(facts.given);
    for (const auto& [path, strides] : facts.strides)
        json["strides"][path] = strides;
    if (!facts.words.empty()) json["words"] = facts.words;
    if (facts.statistics) json["statistics"] = statistics_json(*facts.statistics);
    if (facts.hashes) json["hashes"] = hashes_json(*facts.hashes);
    if (json.is_null()) return {};
    return json_text(json, -1);
}

}  // namespace npuscope::dumpfile
