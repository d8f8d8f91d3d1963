#include "compare/tolerances.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "compare/gate/read_text.h"
#include "core/base/error.h"
#include "core/base/parse_json.h"
#include "core/base/printable.h"

namespace npuscope::compare {

WrittenBounds::WrittenBounds(const Bounds& plain, const std::filesystem::path& path)
    : plain_(plain) {
    take(small_text(path), path.string());
}

WrittenBounds::WrittenBounds(const Bounds& plain, const std::string& text, const std::string& name)
    : plain_(plain) {
    take(text, name);
}

void WrittenBounds::take(const std::string& text, const std::string& name) {
    using nlohmann::json;
    const auto all = parse_json<json>(text);
    if (!all.is_object() || all.size() != 1 || !all.contains("tolerances") ||
        !all["tolerances"].is_array())
        throw Error(ErrorKind::kFormat,
                    in_quotes(name) +
                        " is no file of tolerances: {\"tolerances\": [{\"tensor\": "
                        "…, \"dtype\": …, \"tolerance\": …}]}");
    for (size_t i = 0; i < all["tolerances"].size(); ++i) {
        const auto refuse = [&](const std::string& why) {
            throw Error(
                ErrorKind::kFormat,
                "tolerance " + std::to_string(i + 1) + " of " + in_quotes(name) + " " + why);
        };
        const json& entry = all["tolerances"][i];
        if (!entry.is_object()) refuse("is no object");
        Row row;
        bool has_tolerance = false;
        for (const auto& [key, value] : entry.items()) {
            if (key == "tolerance" && value.is_number() && value.get<double>() >= 0) {
                row.tolerance = value.get<double>();
                has_tolerance = true;
            } else if (key == "dtype" && value.is_string() &&
                       dtype_from_name(value.get<std::string>())) {
                row.dtype = value.get<std::string>();
            } else if (key == "tensor" && value.is_string()) {
                try {
                    row.tensor.emplace(value.get<std::string>());
                } catch (const Error& failure) {
                    refuse(std::string("has a wrong tensor: ") + failure.what());
                }
            } else {
                refuse("has a wrong " + in_quotes(key) +
                       "; it has a tolerance from 0 on, and may have tensor, a regular "
                       "expression, and dtype, as float16");
            }
        }
        if (!has_tolerance) refuse("has no tolerance");
        rows_.push_back(std::move(row));
    }
}

Bound WrittenBounds::bound(const BoundQuery& query) const {
    Bound bound = plain_.bound(query);
    if (!is_float(query.dtype)) return bound;
    const auto row = std::ranges::find_if(rows_, [&](const Row& each) {
        return (each.dtype.empty() || each.dtype == name_of(query.dtype)) &&
               (!each.tensor || each.tensor->is_found_in(query.target) ||
                each.tensor->is_found_in(query.golden));
    });
    if (row == rows_.end()) return bound;
    bound.tolerance = row->tolerance;
    bound.source = fmt::format("written {:g}", row->tolerance);
    return bound;
}

}  // namespace npuscope::compare
