// Folders of msprobe: dump.json lists ops with what is known of their tensors; elements, where they
// were kept, lie in dump_tensor_data/.
// Source: Ascend/msprobe, python/msprobe/core/dump.
#include <algorithm>
#include <cstring>
#include <memory>

#include "core/base/printable.h"
#include "core/recording/msprobe/dump_file.h"
#include "core/recording/msprobe/program.h"
#include "core/recording/msprobe/record_reader.h"
#include "core/recording/source.h"

namespace npuscope {

namespace {

using msprobe::DumpFile;
using msprobe::Program;
using msprobe::Record;

/// What all ops of a dump read from.
struct Folder {
    explicit Folder(const std::filesystem::path& dump)
        : file(dump), program(dump.parent_path()), data(dump.parent_path() / "dump_tensor_data") {}

    DumpFile file;
    Program program;
    std::filesystem::path data;
};

SideFacts facts_but_place(const Folder& folder, const Record& record) {
    SideFacts facts;
    // Most records have tensors alone, which nobody asked for.
    const auto has = [&](std::string_view key) {
        return ::memmem(record.text.data(), record.text.size(), key.data(), key.size()) != nullptr;
    };
    if (!has("\"value\"") && !has("\"format\"") && !has("\"is_nan\"")) return facts;
    msprobe::RecordContent content =
        msprobe::read_record(record, folder.data, msprobe::Wanted::kArguments);
    facts.arguments = std::move(content.arguments);
    if (content.is_nan) {
        facts.recorded.status = FloatStatus{.bits = *content.is_nan ? FloatStatus::kOverflow : 0};
        facts.recorded.overflow = *content.is_nan;
    }
    return facts;
}

SideFacts facts_of(const Folder& folder, const Record& record) {
    SideFacts facts = facts_but_place(folder, record);
    facts.recorded.source = folder.program.place_of(record.name);
    return facts;
}

SourceOp op_of(const Folder& folder, const Record& record) {
    return {
        .id = {record.name, 0},
        .path = record.name,
        .load =
            [&folder, &record] {
                return msprobe::read_record(record, folder.data, msprobe::Wanted::kTensors).tensors;
            },
        .facts = [&folder, &record] { return facts_of(folder, record); },
        .place = [&folder, &record] { return folder.program.place_of(record.name); },
        .facts_but_place = [&folder, &record] { return facts_but_place(folder, record); }};
}

/// Of a dump of the structure alone: names and places.
void take_structure(const std::shared_ptr<const Folder>& folder, Source& source) {
    source.structure_only = true;
    for (const std::string& name : folder->program.records())
        source.ops.push_back(
            {.id = {name, 0},
             .path = name,
             .load = [] { return std::vector<SourceTensor>(); },
             .facts = [folder = folder.get(), name]() -> SideFacts {
                 SideFacts facts;
                 facts.recorded.source = folder->program.place_of(name);
                 return facts;
             },
             .place = [folder = folder.get(), name] { return folder->program.place_of(name); }});
}

/// Of records that are alike, the first tell.
constexpr size_t kLookedAt = 32;

bool holds(const std::vector<Record>& records, std::string_view text) {
    return std::ranges::any_of(
        records.begin(),
        records.begin() + static_cast<std::ptrdiff_t>(std::min(records.size(), kLookedAt)),
        [&](const Record& record) { return record.text.find(text) != std::string_view::npos; });
}

/// What the dump lacks, and how msprobe would have recorded it; "" where it lacks nothing.
std::string lacks(const Folder& folder) {
    std::string text;
    const auto add = [&](const char* what, const char* how) {
        text += std::string(text.empty() ? "" : ", ") + what + " (" + how + ")";
    };
    const std::vector<Record>& records = folder.file.records();
    if (!records.empty() && !holds(records, "\"data_name\""))
        add("elements of tensors", "\"task\": \"tensor\" records them");
    if (!records.empty() && !holds(records, "\"input_args\"") && !holds(records, "\"input\""))
        add("inputs", "\"data_mode\": [\"all\"]");
    if (!folder.program.has_stack()) add("source lines", "stack.json, written by the same run");
    if (!folder.program.has_construct())
        add("modules", "construct.json, \"level\": \"mix\" or \"L0\"");
    if (text.empty()) return text;
    return "the msprobe dump lacks " + text;
}

}  // namespace

Source source_of_msprobe(const std::filesystem::path& path) {
    const auto folder = std::make_shared<const Folder>(path);
    const std::vector<Record>& records = folder->file.records();
    Source source;
    if (records.empty() && folder->file.task() == "structure") {
        take_structure(folder, source);
    } else {
        source.ops.reserve(records.size());
        for (const Record& record : records)
            source.ops.push_back(op_of(*folder, record));
        if (std::string missing = lacks(*folder); !missing.empty())
            source.remarks.push_back(std::move(missing));
    }
    source.device_name = folder->file.device_name();
    source.device_options = folder->file.device_options();
    std::error_code failure;
    const std::filesystem::directory_iterator files(folder->data, failure);
    source.lacks_elements = failure || files == std::filesystem::directory_iterator();
    source.owner = folder;
    return source;
}

}  // namespace npuscope
