#include "compare/gate/waivers.h"

#include <chrono>
#include <ctime>
#include <fstream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "compare/gate/read_text.h"
#include "core/base/error.h"
#include "core/base/parse_json.h"
#include "core/base/printable.h"
#include "core/base/words.h"

namespace npuscope::compare {

namespace {

using nlohmann::json;

[[noreturn]] void refuse(const std::string& name, size_t index, const std::string& why) {
    throw Error(ErrorKind::kFormat,
                "waiver " + std::to_string(index + 1) + " of " + in_quotes(name) + " " + why);
}

/// A day of the calendar, "2027-03-31".
bool is_date(const std::string& text) {
    const std::vector<std::string> parts = fields_of(text, '-');
    if (parts.size() != 3 || parts[0].size() != 4 || parts[1].size() != 2 || parts[2].size() != 2)
        return false;
    const auto year = natural(parts[0]);
    const auto month = natural(parts[1]);
    const auto day = natural(parts[2]);
    return year && month && day &&
           std::chrono::year_month_day(std::chrono::year(static_cast<int>(*year)),
                                       std::chrono::month(static_cast<unsigned>(*month)),
                                       std::chrono::day(static_cast<unsigned>(*day)))
               .ok();
}

std::string text_of(const json& entry, const char* key, const std::string& name, size_t index) {
    const auto found = entry.find(key);
    if (found == entry.end()) return {};
    if (!found->is_string()) refuse(name, index, std::string("has a ") + key + " that is no text");
    return found->get<std::string>();
}

std::string needed(const json& entry, const char* key, const std::string& name, size_t index) {
    std::string text = text_of(entry, key, name, index);
    if (trimmed(text).empty())
        refuse(name, index, std::string("has no ") + key + "; it needs op, reason, owner, expires");
    return text;
}

std::optional<Pattern> pattern_of(const json& entry,
                                  const char* key,
                                  const std::string& name,
                                  size_t index) {
    const std::string text = text_of(entry, key, name, index);
    if (text.empty()) return std::nullopt;
    try {
        return Pattern(text);
    } catch (const Error& failure) {
        refuse(name, index, std::string("has a wrong ") + key + ": " + failure.what());
    }
}

Waiver waiver_of(const json& entry, const std::string& name, size_t index) {
    if (!entry.is_object()) refuse(name, index, "is no object");
    for (const auto& [key, value] : entry.items()) {
        static_cast<void>(value);
        if (key != "op" && key != "module" && key != "detail" && key != "kind" && key != "reason" &&
            key != "owner" && key != "expires")
            refuse(name,
                   index,
                   "has " + in_quotes(key) +
                       "; known are op, module, detail, kind, reason, owner, expires");
    }
    static_cast<void>(needed(entry, "op", name, index));
    Waiver waiver{.op = *pattern_of(entry, "op", name, index),
                  .module = pattern_of(entry, "module", name, index),
                  .detail = pattern_of(entry, "detail", name, index),
                  .kind = text_of(entry, "kind", name, index),
                  .reason = needed(entry, "reason", name, index),
                  .owner = needed(entry, "owner", name, index),
                  .expires = needed(entry, "expires", name, index)};
    if (!is_date(waiver.expires))
        refuse(name,
               index,
               "expires on " + in_quotes(waiver.expires) + ", which is no day like 2027-03-31");
    return waiver;
}

}  // namespace

std::string today() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    std::array<char, 16> text{};
    static_cast<void>(std::strftime(text.data(), text.size(), "%Y-%m-%d", &parts));
    return text.data();
}

bool Waiver::covers(const Finding& finding, const std::string& module_of_op) const {
    return (kind.empty() || kind == finding.kind) && op.is_found_in(finding.path) &&
           (!module || module->is_found_in(module_of_op)) &&
           (!detail || detail->is_found_in(finding.detail));
}

std::string Waiver::told() const {
    return "the waiver of " + in_quotes(op.text()) + " (" + owner + ", until " + expires + ": " +
           reason + ")";
}

Waivers::Waivers(const std::filesystem::path& path, std::string today) : today_(std::move(today)) {
    take(small_text(path), path.string());
}

Waivers::Waivers(const std::string& text, const std::string& name, std::string today)
    : today_(std::move(today)) {
    take(text, name);
}

void Waivers::take(const std::string& text, const std::string& name) {
    const auto all = parse_json<json>(text);
    if (!all.is_object() || all.size() != 1 || !all.contains("waivers") ||
        !all["waivers"].is_array())
        throw Error(ErrorKind::kFormat,
                    in_quotes(name) +
                        " is no file of waivers: {\"waivers\": [{\"op\": …, "
                        "\"reason\": …, \"owner\": …, \"expires\": …}]}");
    for (size_t i = 0; i < all["waivers"].size(); ++i)
        rows_.push_back(waiver_of(all["waivers"][i], name, i));
}

}  // namespace npuscope::compare
