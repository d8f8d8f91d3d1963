#include "loss/formats/json_record.h"

#include <array>
#include <charconv>
#include <limits>

#include <nlohmann/json.hpp>

#include "core/base/parse_json.h"
#include "loss/step_key.h"

namespace npuscope::loss {

using nlohmann::json;

namespace {

// The words between quotes are left alone.
std::string with_quoted_words(std::string_view text) {
    constexpr std::array<std::string_view, 3> kWords = {"NaN", "-Infinity", "Infinity"};
    std::string mended;
    mended.reserve(text.size() + 64);
    bool in_text = false;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_text && c == '\\' && i + 1 < text.size()) {
            mended += c;
            mended += text[++i];
            continue;
        }
        if (c == '"') in_text = !in_text;
        bool is_word = false;
        if (!in_text && (c == 'N' || c == '-' || c == 'I')) {
            for (const std::string_view word : kWords) {
                if (text.substr(i, word.size()) != word) continue;
                mended += '"';
                mended += word;
                mended += '"';
                i += word.size() - 1;
                is_word = true;
                break;
            }
        }
        if (!is_word) mended += c;
    }
    return mended;
}

}  // namespace

std::optional<double> number_in(const json& value) {
    if (value.is_number()) return value.get<double>();
    if (value.is_boolean()) return value.get<bool>() ? 1.0 : 0.0;
    if (!value.is_string()) return std::nullopt;
    const auto& text = value.get_ref<const std::string&>();
    double number = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || parsed.ec != std::errc() || parsed.ptr != text.data() + text.size())
        return std::nullopt;
    return number;
}

json parse_python_json(std::string_view text) {
    if (text.find("NaN") == std::string_view::npos &&
        text.find("Infinity") == std::string_view::npos)
        return parse_json<json>(text);
    return parse_json<json>(with_quoted_words(text));
}

Record ObjectReader::read(const json& object) {
    Record record;
    int step_fit = std::numeric_limits<int>::max();
    std::array<int, kQuantities> fits{};
    fits.fill(std::numeric_limits<int>::max());
    for (const auto& [key, value] : object.items()) {
        const std::optional<double> number = number_in(value);
        if (!number) continue;
        const int step = fit_of_step(key);
        if (step >= 0 && step<step_fit&& * number> - 9e15 && *number < 9e15) {
            step_fit = step;
            record.step = static_cast<int64_t>(*number);
            continue;
        }
        for (size_t q = 0; q < kQuantities; ++q) {
            const int fit = fit_of(static_cast<Quantity>(q), key);
            if (fit < 0 || fit >= fits[q]) continue;
            fits[q] = fit;
            record.set(static_cast<Quantity>(q), *number);
            if (names_[q].empty()) names_[q] = key;
        }
    }
    return record;
}

void ObjectReader::name(Log& log) const {
    log.names = names_;
    log.loss_name = names_[0];
}

}  // namespace npuscope::loss
