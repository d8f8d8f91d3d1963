#include "overflow/flow_report.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/json_value.h"
#include "core/base/printable.h"
#include "core/base/wrapped.h"
#include "overflow/record_text.h"

namespace npuscope::overflow {

namespace {

using nlohmann::ordered_json;

constexpr size_t kNamed = 4;

std::string ops_text(int64_t count) {
    return fmt::format("{} op{}", count, count == 1 ? "" : "s");
}

// "/neg/3, /add/4", or "/neg/3 to /sum/19" of many.
std::string span_text(const std::vector<std::string>& paths) {
    if (paths.size() > kNamed) return printable(paths.front()) + " to " + printable(paths.back());
    std::string text;
    for (const std::string& path : paths)
        text += (text.empty() ? "" : ", ") + printable(path);
    return text;
}

std::string stop_text(const FlowStop& stop) {
    return fmt::format(
        "'{}' of {}{}", printable(stop.via), printable(stop.path), place_text(stop.source));
}

std::string birth_text(const Marks& marks) {
    if (marks.non_finite) return "born";
    return marks.saturated ? "saturated silently: inf or nan nowhere in it"
                           : "born by its status; no value shows it";
}

void append_flow(std::string& text, const OverflowFlow& flow) {
    text += wrapped(
        printable(flow.birth.path()) + place_text(flow.birth.source) + " " + birth_text(flow.marks),
        2,
        4);
    if (flow.carried_count > 0)
        text += wrapped(
            fmt::format("carried by {}: {}", ops_text(flow.carried_count), span_text(flow.carried)),
            4,
            6);
    for (size_t i = 0; i < std::min(kNamed, flow.killed.size()); ++i)
        text += wrapped("killed: it came in as " + stop_text(flow.killed[i]) +
                            ", whose results show nothing of it",
                        4,
                        6);
    if (flow.killed_count > static_cast<int64_t>(kNamed))
        text += fmt::format("    … and killed by {} more\n",
                            ops_text(flow.killed_count - static_cast<int64_t>(kNamed)));
    if (flow.unread_count > 0)
        text += wrapped(fmt::format("still there in results that no recorded op reads: {}",
                                    span_text(flow.unread)),
                        4,
                        6);
}

ordered_json json_of(const FlowStop& stop) {
    return {{"path", stop.path}, {"node", text_or_null(stop.source.node)}, {"via", stop.via}};
}

}  // namespace

std::string flow_text(const std::vector<OverflowFlow>& flows, size_t limit) {
    std::vector<const OverflowFlow*> own;
    for (const OverflowFlow& flow : flows)
        if (flow.is_own()) own.push_back(&flow);
    if (own.empty()) return {};
    std::string text = fmt::format("Flow: {} birth{}\n", own.size(), own.size() == 1 ? "" : "s");
    for (size_t i = 0; i < std::min(limit, own.size()); ++i)
        append_flow(text, *own[i]);
    if (own.size() > limit) text += fmt::format("  … and {} more\n", own.size() - limit);
    return text;
}

ordered_json flow_json(const std::vector<OverflowFlow>& flows) {
    auto array = ordered_json::array();
    for (const OverflowFlow& flow : flows) {
        ordered_json object = {{"birth", flow.birth.path()},
                               {"node", text_or_null(flow.birth.source.node)},
                               {"kind", name_of(flow.birth.kind)},
                               {"non_finite", flow.marks.non_finite},
                               {"saturated", flow.marks.saturated},
                               {"silent", flow.silent()},
                               {"carried_count", flow.carried_count},
                               {"carried", flow.carried},
                               {"killed_count", flow.killed_count},
                               {"killed", ordered_json::array()},
                               {"unread_count", flow.unread_count},
                               {"unread", flow.unread}};
        for (const FlowStop& stop : flow.killed)
            object["killed"].push_back(json_of(stop));
        array.push_back(std::move(object));
    }
    return array;
}

}  // namespace npuscope::overflow
