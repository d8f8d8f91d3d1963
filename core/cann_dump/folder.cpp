#include "core/cann_dump/folder.h"

#include <algorithm>

#include "core/base/printable.h"
#include "core/base/words.h"
#include "core/cann_dump/dump_error.h"

namespace npuscope::cann_dump {

namespace {

constexpr const char* kFailedListName = "convert_failed_file_list.txt";

bool is_stored_under_digits(const std::string& name) {
    return is_digits(name) ||
           (name.ends_with(".npy") && is_digits(name.substr(0, name.size() - 4)));
}

void sort_by_time(FolderEntry& entry) {
    const auto order = [&](const auto& key) {
        std::stable_sort(
            entry.files.begin(), entry.files.end(), [&](const NamedFile& a, const NamedFile& b) {
                return key(a.name) < key(b.name);
            });
    };
    order([&](const std::string& name) { return timestamp_of(name, entry.mode); });
    if (entry.mode != TaskMode::kNormal)
        order([&](const std::string& name) { return part_of(name, entry.mode); });
}

/// How dump files spell an op's name.
std::string file_spelling(std::string op) {
    std::replace_if(
        op.begin(), op.end(), [](char c) { return c == '/' || c == '.'; }, '_');
    return op;
}

}  // namespace

DumpFolder::DumpFolder(const std::filesystem::path& path,
                       const Options& options,
                       const Remark& remark)
    : path_(std::filesystem::weakly_canonical(std::filesystem::absolute(path))) {
    const auto real_names = read_mapping(path_);
    std::vector<std::filesystem::path> files;
    std::error_code unreadable;
    for (const auto& each : std::filesystem::directory_iterator(path_, unreadable)) {
        const std::string name = each.path().filename().string();
        has_npy_ = has_npy_ || name.ends_with(".npy");
        std::error_code failure;
        if (name != kMappingName && name != kFailedListName && each.is_regular_file(failure))
            files.push_back(each.path());
    }
    if (unreadable)
        throw Error(ErrorKind::kIo,
                    "cannot read the folder " + in_quotes(path_) + ": " + unreadable.message());
    std::sort(files.begin(), files.end());
    for (const auto& file : files) {
        std::string name = file.filename().string();
        if (is_stored_under_digits(name)) {
            const auto real = real_names.find(name);
            if (real == real_names.end()) {
                remark("The file '" + file.string() + "' stands for a name that " + kMappingName +
                       " does not have; it is left out.");
                continue;
            }
            name = real->second;
        }
        add({.path = file, .name = std::move(name)}, options, remark);
    }
    if (!has_kind_)
        throw DumpError("There is no dump file in '" + path_.string() + "'.", DumpProblem::kFolder);
    if (kind_ == DumpKind::kNumpy) kind_ = quant_ ? DumpKind::kQuant : DumpKind::kStandard;
    for (auto& [key, entry] : entries_)
        sort_by_time(entry);
}

void DumpFolder::add(const NamedFile& file, const Options& options, const Remark& remark) {
    const auto name = parse_dump_name(file.name);
    if (!name) {
        remark("The file '" + file.path.string() +
               "' does not have the name of a dump file (op_type.op_name.task.stream.time, or "
               "op_name.output.time.npy); it is left out.");
        return;
    }
    std::string key = name->key;
    if (!options.keep_slices) {
        key = without_slice_marks(key, options.with_fusion_rule);
        if (key.find(kSliceMark) != std::string::npos) return;
    }
    const TaskMode mode = task_mode_of(file.name);
    if (name->kind == DumpKind::kOffline || name->kind == DumpKind::kNumpy)
        quant_ = quant_ || is_quantised(key);
    if (has_kind_ && kind_ != name->kind)
        throw DumpError("The folder '" + path_.string() + "' mixes kinds of dump files: '" +
                            file.name + "' is of another kind than those before it.",
                        DumpProblem::kFolder);
    kind_ = name->kind;
    has_kind_ = true;
    FolderEntry& entry = entries_[key];
    entry.mode = mode;
    entry.files.push_back(file);
}

const FolderEntry* DumpFolder::find(const std::string& op) const {
    const auto at = entries_.find(file_spelling(op));
    return at == entries_.end() ? nullptr : &at->second;
}

const FolderEntry* DumpFolder::find(const std::string& op, int64_t output) const {
    const auto at = entries_.find(file_spelling(op) + "." + std::to_string(output));
    return at == entries_.end() ? nullptr : &at->second;
}

std::vector<DumpFolder::Named> DumpFolder::by_time() const {
    std::vector<Named> entries;
    for (const auto& [key, entry] : entries_)
        entries.emplace_back(key, &entry);
    std::stable_sort(entries.begin(), entries.end(), [](const Named& a, const Named& b) {
        const int64_t a_time = a.second->timestamp();
        const int64_t b_time = b.second->timestamp();
        if (a_time != b_time) return a_time < b_time;
        return a.second->newest().name > b.second->newest().name;
    });
    return entries;
}

}  // namespace npuscope::cann_dump
