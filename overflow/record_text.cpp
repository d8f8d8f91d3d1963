#include "overflow/record_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/json_value.h"
#include "core/base/printable.h"

namespace npuscope::overflow {

std::string place_text(const OverflowRecord& record) {
    return place_text(record.source);
}

std::string place_text(const OpSource& source) {
    const std::string& place = source.node.empty() ? source.module : source.node;
    return place.empty() ? "" : fmt::format(" ({})", printable(place));
}

std::string damage_text(const OverflowRecord& record, const char* at_limit, const char* unmade) {
    std::string text = fmt::format("'{}'", printable(record.via));
    if (record.evidence == Evidence::kNonFinite) text += " with inf or nan";
    if (record.evidence == Evidence::kSaturated) text += std::string(" ") + at_limit;
    if (record.evidence == Evidence::kDataFlow) text += " with finite values";
    text += record.from.empty() ? unmade : " from " + printable(record.from);
    if (!record.origin.empty() && record.origin != record.from)
        text += ", begun at " + printable(record.origin);
    return text;
}

std::string kernels_text(const OverflowRecord& record) {
    std::string text;
    for (const std::string& kernel : record.kernels)
        text += (text.empty() ? "" : ", ") + printable(kernel);
    return text;
}

nlohmann::ordered_json record_json(const OverflowRecord& record,
                                   const nlohmann::ordered_json& extra) {
    nlohmann::ordered_json object = {{"path", record.path()},
                                     {"node", text_or_null(record.source.node)},
                                     {"kind", name_of(record.kind)},
                                     {"also_raised", record.also_raised()}};
    object.update(extra);
    object.update({{"via", text_or_null(record.via)},
                   {"evidence", name_of(record.evidence)},
                   {"from", text_or_null(record.from)},
                   {"origin", text_or_null(record.origin)},
                   {"kernels", record.kernels},
                   {"bits", record.status.bits}});
    return object;
}

}  // namespace npuscope::overflow
