#include "overflow/op_facts.h"

#include <nlohmann/json.hpp>

#include "core/base/parse_json.h"

namespace npuscope::overflow {

namespace {

using nlohmann::json;

const json* member(const json& object, const char* key) {
    if (!object.is_object()) return nullptr;
    const auto found = object.find(key);
    return found == object.end() ? nullptr : &*found;
}

std::string text_of(const json& object, const char* key) {
    const json* value = member(object, key);
    return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

}  // namespace

OpFacts parse_op_facts(const std::string& text) {
    OpFacts facts;
    if (text.empty()) return facts;
    const json object = parse_json<json>(text);
    facts.source = {text_of(object, "node"), text_of(object, "module"), text_of(object, "line")};
    if (const json* kernels = member(object, "kernels"); kernels != nullptr && kernels->is_array())
        for (const json& kernel : *kernels)
            if (kernel.is_string()) facts.kernels.push_back(kernel.get<std::string>());
    const json* status = member(object, "status");
    if (status == nullptr) return facts;
    if (const json* bits = member(*status, "bits"); bits != nullptr && bits->is_number_unsigned()) {
        facts.status.bits = bits->get<uint64_t>();
        facts.overflow = facts.status.overflow();
    }
    if (const json* overflow = member(*status, "overflow");
        overflow != nullptr && overflow->is_boolean())
        facts.overflow = overflow->get<bool>();
    return facts;
}

}  // namespace npuscope::overflow
