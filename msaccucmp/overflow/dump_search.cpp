#include "msaccucmp/overflow/dump_search.h"

#include <algorithm>
#include <map>
#include <system_error>

#include "core/base/printable.h"

namespace npuscope::msaccucmp {

namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 30;
constexpr uint64_t kNoId = 65535;

void search(const fs::path& folder, int depth, std::vector<FoundDump>& dumps, Log& log) {
    if (depth > kDeepest) {
        log.warning(in_quotes(folder) + " is deeper than " + std::to_string(kDeepest) +
                    " folders; it is left out.");
        return;
    }
    std::error_code failure;
    const auto mapping = cann_dump::read_mapping(folder);
    for (auto entry = fs::directory_iterator(folder, failure);
         !failure && entry != fs::directory_iterator();
         entry.increment(failure)) {
        std::error_code ignored;
        if (entry->is_directory(ignored)) {
            if (!entry->is_symlink(ignored)) search(entry->path(), depth + 1, dumps, log);
            continue;
        }
        if (!entry->is_regular_file(ignored)) continue;
        std::string name = entry->path().filename().string();
        if (const auto mapped = mapping.find(name); mapped != mapping.end()) name = mapped->second;
        if (auto fields = cann_dump::parse_file_name(name))
            dumps.push_back({entry->path(), std::move(*fields)});
    }
    if (failure) log.warning(in_quotes(folder) + " cannot be read: " + failure.message());
}

bool agrees(bool is_given, uint64_t id, const std::optional<uint64_t>& other) {
    return !is_given || id == 0 || id == kNoId || other == id;
}

}  // namespace

std::vector<FoundDump> find_dumps(const fs::path& folder, Log& log) {
    std::vector<FoundDump> dumps;
    search(folder, 0, dumps, log);
    std::sort(dumps.begin(), dumps.end(), [](const FoundDump& a, const FoundDump& b) {
        return a.path < b.path;
    });
    return dumps;
}

bool is_op_debug(const FoundDump& dump) {
    return dump.fields.op_type == "Opdebug" && dump.fields.op_name == "Node_OpDebug";
}

const FoundDump* find_culprit(const std::vector<FoundDump>& dumps, const OpDebugUnit& unit) {
    const FoundDump* best = nullptr;
    for (const FoundDump& dump : dumps) {
        const cann_dump::FileNameFields& fields = dump.fields;
        if (fields.op_type == "Opdebug" || fields.task_id != unit.task_id) continue;
        if (fields.stream_id && *fields.stream_id != unit.stream_id) continue;
        std::optional<uint64_t> context;
        std::optional<uint64_t> thread;
        if (fields.ffts) {
            context = fields.ffts->context_id;
            thread = fields.ffts->thread_id;
        }
        if (!agrees(unit.has_context, unit.context_id, context) ||
            !agrees(unit.has_thread, unit.thread_id, thread))
            continue;
        const auto rank = [](const FoundDump& each) {
            return std::pair(!each.fields.stream_id.has_value(), each.fields.timestamp);
        };
        if (best == nullptr || rank(dump) < rank(*best)) best = &dump;
    }
    return best;
}

}  // namespace npuscope::msaccucmp
