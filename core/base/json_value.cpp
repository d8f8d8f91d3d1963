#include "core/base/json_value.h"

#include <cmath>

#include <nlohmann/json.hpp>

namespace npuscope {

namespace {

template <class Json>
std::string text_of(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->template get<std::string>() : "";
}

}  // namespace

nlohmann::ordered_json number_json(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return value;
}

nlohmann::ordered_json number_json(const std::optional<double>& value) {
    return value ? number_json(*value) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json text_or_null(const std::string& text) {
    return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
}

std::string text_at(const nlohmann::ordered_json& object, const char* key) {
    return text_of(object, key);
}

std::string text_at(const nlohmann::json& object, const char* key) {
    return text_of(object, key);
}

std::string json_text(const nlohmann::ordered_json& value, int indent) {
    return value.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string json_text(const nlohmann::json& value, int indent) {
    return value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace npuscope
