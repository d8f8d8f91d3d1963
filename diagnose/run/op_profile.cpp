#include "diagnose/run/op_profile.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/json_value.h"
#include "core/base/pending_file.h"
#include "core/base/printable.h"

namespace npuscope::diagnose {

namespace {

double steady_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

}  // namespace

OpProfile::OpProfile(EventSource& source, Clock clock)
    : source_(source), clock_(clock ? std::move(clock) : Clock(steady_seconds)) {
    start_ = clock_();
    source_.attach(*this);
}

OpProfile::~OpProfile() {
    source_.detach(*this);
}

void OpProfile::begin(bool kernel) {
    (kernel ? kernel_begins_ : op_begins_).push_back(clock_());
}

void OpProfile::end(bool kernel, Span span) {
    std::vector<double>& begins = kernel ? kernel_begins_ : op_begins_;
    if (begins.empty()) return;
    span.kernel = kernel;
    span.begin = begins.back();
    span.end = clock_();
    begins.pop_back();
    spans_.push_back(std::move(span));
}

void OpProfile::op_begin(const OpBegin&) {
    begin(false);
}

void OpProfile::op_end(const OpEnd& event) {
    end(false, {.name = std::string(event.name), .op = {}, .seqid = event.seqid});
}

void OpProfile::kernel_begin(const KernelEvent&) {
    begin(true);
}

void OpProfile::kernel_end(const KernelEvent& event) {
    end(true,
        {.name = std::string(event.type), .op = std::string(event.op_name), .seqid = event.seqid});
}

std::vector<ProfileRow> OpProfile::rows() const {
    std::map<std::pair<bool, std::string>, ProfileRow> sums;
    for (const Span& span : spans_) {
        ProfileRow& row = sums[{span.kernel, span.name}];
        row.name = span.name;
        row.kernel = span.kernel;
        row.calls += 1;
        row.seconds += span.end - span.begin;
    }
    std::vector<ProfileRow> rows;
    rows.reserve(sums.size());
    for (const auto& [key, row] : sums)
        rows.push_back(row);
    std::stable_sort(rows.begin(), rows.end(), [](const ProfileRow& a, const ProfileRow& b) {
        if (a.kernel != b.kernel) return b.kernel;
        return a.seconds > b.seconds;
    });
    return rows;
}

std::string OpProfile::table() const {
    std::string text;
    const std::vector<ProfileRow> all = rows();
    for (const bool kernel : {false, true}) {
        double total = 0;
        for (const ProfileRow& row : all)
            if (row.kernel == kernel) total += row.seconds;
        text += fmt::format(
            "{:>10}  {:>6}  {:>7}  {}\n", "ms", "share", "calls", kernel ? "kernel" : "op");
        for (const ProfileRow& row : all)
            if (row.kernel == kernel)
                text += fmt::format("{:>10.3f}  {:>5.1f}%  {:>7}  {}\n",
                                    row.seconds * 1e3,
                                    total > 0 ? 100 * row.seconds / total : 0.0,
                                    row.calls,
                                    printable(row.name));
    }
    return text;
}

std::string OpProfile::chrome_trace() const {
    using Json = nlohmann::ordered_json;
    Json events = Json::array();
    const auto name_thread = [&](int thread, const char* name) {
        events.push_back({{"ph", "M"},
                          {"name", "thread_name"},
                          {"pid", 1},
                          {"tid", thread},
                          {"args", {{"name", name}}}});
    };
    name_thread(1, "ops");
    name_thread(2, "kernels");
    for (const Span& span : spans_) {
        Json arguments = {{"seqid", span.seqid}};
        if (span.kernel) arguments["op"] = span.op;
        events.push_back({{"ph", "X"},
                          {"name", span.name},
                          {"cat", span.kernel ? "kernel" : "op"},
                          {"pid", 1},
                          {"tid", span.kernel ? 2 : 1},
                          {"ts", (span.begin - start_) * 1e6},
                          {"dur", (span.end - span.begin) * 1e6},
                          {"args", arguments}});
    }
    const Json root = {{"traceEvents", events}, {"displayTimeUnit", "ms"}};
    return json_text(root, -1) + "\n";
}

void OpProfile::write_chrome_trace(const std::filesystem::path& path) const {
    write_text_file(path, chrome_trace());
}

}  // namespace npuscope::diagnose
