#include "compare/tolerances.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "compare/gate/read_text.h"
#include "core/base/error.h"
#include "core/base/parse_json.h"
#include "core/base/printable.h"

namespace npuscope::compare {

namespace {

using nlohmann::json;

/// One entry of a list in the file, taken key by key.
class Entry {
  public:
    Entry(const json& entry, std::string name, const char* keys)
        : entry_(entry), name_(std::move(name)), keys_(keys) {
        if (!entry.is_object()) refuse("is no object");
    }

    [[noreturn]] void refuse(const std::string& why) const {
        throw Error(ErrorKind::kFormat, name_ + " " + why);
    }
    /// An expression or slice that is wrong is told as the entry's.
    template <class T>
    [[nodiscard]] T made(const std::string& key, std::string_view text) const {
        try {
            return T(text);
        } catch (const Error& failure) {
            refuse("has a wrong " + key + ": " + failure.what());
        }
    }
    /// A text; nullptr where the key is absent.
    [[nodiscard]] const std::string* text(const std::string& key) const {
        const auto found = entry_.find(key);
        if (found == entry_.end()) return nullptr;
        if (!found->is_string()) refuse_key(key);
        return found->get_ptr<const std::string*>();
    }
    [[nodiscard]] std::string dtype() const {
        const std::string* name = text("dtype");
        if (name != nullptr && !dtype_from_name(*name)) refuse_key("dtype");
        return name == nullptr ? "" : *name;
    }
    [[nodiscard]] std::optional<double> number(const std::string& key) const {
        const auto found = entry_.find(key);
        if (found == entry_.end()) return std::nullopt;
        if (!found->is_number() || !(found->get<double>() >= 0)) refuse_key(key);
        return found->get<double>();
    }
    void only(std::initializer_list<std::string_view> keys) const {
        for (const auto& [key, value] : entry_.items())
            if (std::ranges::find(keys, std::string_view(key)) == keys.end()) refuse_key(key);
    }

  private:
    [[noreturn]] void refuse_key(const std::string& key) const {
        refuse("has a wrong " + in_quotes(key) + "; " + keys_);
    }

    const json& entry_;
    std::string name_;
    const char* keys_;
};

Tolerance tolerance_of(const Entry& entry) {
    entry.only({"tensor", "dtype", "tolerance"});
    Tolerance row{.dtype = entry.dtype()};
    if (const std::string* tensor = entry.text("tensor"))
        row.tensor = entry.made<Pattern>("tensor", *tensor);
    const auto tolerance = entry.number("tolerance");
    if (!tolerance) entry.refuse("has no tolerance");
    row.tolerance = *tolerance;
    return row;
}

IgnoredRegion region_of(const Entry& entry) {
    entry.only({"tensor", "dtype", "slice"});
    const std::string* tensor = entry.text("tensor");
    const std::string* slice = entry.text("slice");
    if (tensor == nullptr || slice == nullptr)
        entry.refuse("has no tensor, a regular expression, or no slice");
    std::string_view inside = *slice;
    if (inside.starts_with('[') && inside.ends_with(']'))
        inside = inside.substr(1, inside.size() - 2);
    return {.tensor = entry.made<Pattern>("tensor", *tensor),
            .slice = entry.made<Slice>("slice", inside),
            .dtype = entry.dtype()};
}

}  // namespace

Tolerances read_tolerances(const std::filesystem::path& path) {
    return tolerances_of(small_text(path), path.string());
}

Tolerances tolerances_of(const std::string& text, const std::string& name) {
    const auto all = parse_json<json>(text);
    bool fits = all.is_object() && !all.empty();
    if (fits)
        for (const auto& [key, list] : all.items())
            fits = fits && (key == "tolerances" || key == "ignore") && list.is_array();
    if (!fits)
        throw Error(ErrorKind::kFormat,
                    in_quotes(name) +
                        " is no file of tolerances: {\"tolerances\": [{\"tensor\": …, \"dtype\": "
                        "…, \"tolerance\": …}], \"ignore\": [{\"tensor\": …, \"slice\": …}]}");
    const auto entry_name = [&](const char* what, size_t index) {
        return what + std::to_string(index + 1) + " of " + in_quotes(name);
    };
    Tolerances found;
    if (const auto list = all.find("tolerances"); list != all.end())
        for (size_t i = 0; i < list->size(); ++i)
            found.rows.push_back(
                tolerance_of({(*list)[i],
                              entry_name("tolerance ", i),
                              "it has a tolerance from 0 on, and may have tensor, a regular "
                              "expression, and dtype, as float16"}));
    if (const auto list = all.find("ignore"); list != all.end())
        for (size_t i = 0; i < list->size(); ++i)
            found.ignored.add(region_of({(*list)[i],
                                         entry_name("region ", i),
                                         "it has tensor, a regular expression, and slice, as "
                                         "[..., -3:], and may have dtype"}));
    return found;
}

Bound WrittenBounds::bound(const BoundQuery& query) const {
    Bound bound = plain_.bound(query);
    if (!is_float(query.dtype)) return bound;
    const auto row = std::ranges::find_if(rows_, [&](const Tolerance& each) {
        return (each.dtype.empty() || each.dtype == name_of(query.dtype)) &&
               (!each.tensor || each.tensor->is_found_in(query.target) ||
                each.tensor->is_found_in(query.golden));
    });
    if (row == rows_.end()) return bound;
    bound.tolerance = row->tolerance;
    bound.source = fmt::format("written {:g}", row->tolerance);
    bound.given = true;
    return bound;
}

}  // namespace npuscope::compare
