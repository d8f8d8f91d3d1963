// {"lm loss": {"start_step": 0, "step_interval": 5, "values": {"1": 10.4} or [10.4]}}, {"lm loss":
// [10.4]},
// [{"step": 1, "loss": 10.4}], {"1": 10.4}.
#include <algorithm>
#include <charconv>

#include <nlohmann/json.hpp>

#include "loss/formats/format.h"
#include "loss/formats/json_record.h"

namespace npuscope::loss {

namespace {

using nlohmann::json;

std::optional<int64_t> step_of(const std::string& key) {
    int64_t step = 0;
    const auto parsed = std::from_chars(key.data(), key.data() + key.size(), step);
    if (key.empty() || parsed.ec != std::errc() || parsed.ptr != key.data() + key.size())
        return std::nullopt;
    return step;
}

int64_t whole(const json& object, const char* key, int64_t otherwise) {
    return object.contains(key) && object[key].is_number_integer() ? object[key].get<int64_t>()
                                                                   : otherwise;
}

// Steps with their values, however a curve is laid out; empty where it is none.
std::vector<std::pair<int64_t, double>> points_of(const json& curve) {
    std::vector<std::pair<int64_t, double>> points;
    const bool wrapped = curve.is_object() && curve.contains("values");
    const json& values = wrapped ? curve["values"] : curve;
    if (values.is_array()) {
        // A list counts from start_step; without one, the first is step 1.
        const int64_t start = wrapped ? whole(curve, "start_step", 1) : 1;
        const int64_t interval = wrapped ? whole(curve, "step_interval", 1) : 1;
        for (size_t i = 0; i < values.size(); ++i)
            if (const auto number = number_in(values[i]))
                points.emplace_back(start + interval * static_cast<int64_t>(i), *number);
    } else if (values.is_object()) {
        for (const auto& [key, value] : values.items()) {
            const auto step = step_of(key);
            const auto number = number_in(value);
            if (step && number) points.emplace_back(*step, *number);
        }
        std::sort(points.begin(), points.end());
    }
    return points;
}

void set_curve(Log& log, Quantity quantity, const std::string& name, const json& value) {
    const auto points = points_of(value);
    Curve curve;
    for (const auto& [step, number] : points) {
        if (!curve.empty() && step <= curve.steps.back()) continue;
        curve.steps.push_back(step);
        curve.values.push_back(number);
    }
    log.of(quantity) = std::move(curve);
    log.names[static_cast<size_t>(quantity)] = name;
    if (quantity == Quantity::kLoss) log.loss_name = name;
}

// An object of curves by their names.
bool take_curves(const json& object, Log& log) {
    std::array<int, kQuantities> fits{};
    fits.fill(1000);
    for (const auto& [key, value] : object.items()) {
        if (!value.is_structured() || points_of(value).empty()) continue;
        for (size_t q = 0; q < kQuantities; ++q) {
            const int fit = fit_of(static_cast<Quantity>(q), key);
            if (fit < 0 || fit >= fits[q]) continue;
            fits[q] = fit;
            set_curve(log, static_cast<Quantity>(q), key, value);
        }
    }
    return !log.of(Quantity::kLoss).empty();
}

// "{"" or "[{": lines of logs begin with brackets, too, and are not worth a look to their end.
bool opens_json(std::string_view text) {
    constexpr const char* kBlank = " \t\r\n";
    const size_t first = text.find_first_not_of(kBlank);
    if (first == std::string_view::npos || (text[first] != '{' && text[first] != '[')) return false;
    const size_t second = text.find_first_not_of(kBlank, first + 1);
    return second != std::string_view::npos && text[second] == (text[first] == '{' ? '"' : '{');
}

bool read_json_curves(const LogBytes& bytes, LogBuilder& records, Log& log) {
    const std::string_view text = bytes.text();
    if (!opens_json(text)) return false;
    const json whole_text = parse_python_json(text);
    if (whole_text.is_discarded()) return false;
    if (whole_text.is_array() && !whole_text.empty() && whole_text[0].is_object()) {
        ObjectReader reader;
        for (const json& entry : whole_text)
            if (entry.is_object()) records.add(reader.read(entry));
        reader.name(log);
        return records.size() > 0;
    }
    if (whole_text.is_object() && take_curves(whole_text, log)) return true;
    if (points_of(whole_text).empty()) return false;
    set_curve(log, Quantity::kLoss, "", whole_text);
    return true;
}

}  // namespace

const Format k_json_curves_format = {
    "json_curves",
    "golden values of Megatron-LM's tests, baselines of MindSpeed-LLM, and other JSON of curves",
    "a JSON object with 'lm loss' or 'loss' as a list or as values by step; a list of objects",
    read_json_curves,
};

}  // namespace npuscope::loss
