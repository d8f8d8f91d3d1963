#include "core/cann_dump/name.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <vector>

#include "core/base/words.h"
#include "core/cann_dump/dump_error.h"

namespace npuscope::cann_dump {

namespace {

constexpr size_t kMostNameBytes = 255;

std::optional<uint64_t> number(std::string_view text) {
    uint64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

constexpr size_t kMostTimestampDigits = 255;
constexpr size_t kTimestampDigits = 16;
constexpr size_t kPlainFields = 5;
constexpr std::string_view kSlice = "lxslice";
constexpr std::string_view kSubgraphMark = "_sgt_graph";
constexpr std::string_view kSubgraph = "sgt_graph_";

constexpr std::array<std::string_view, 11> kQuantMarks = {"_quant_layer",
                                                          "_anti_quant_layer",
                                                          "AscendQuant",
                                                          "AscendWeightQuant",
                                                          "AntiQuant",
                                                          "_quant",
                                                          "_weight_quant",
                                                          "_anti_quant",
                                                          "_dequant_layer",
                                                          "AscendDequant",
                                                          "_dequant"};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_word(std::string_view text, bool with_dots = false) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
        return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
               c == '-' || (with_dots && c == '.');
    });
}

size_t digits_from(std::string_view text, size_t at) {
    size_t end = at;
    while (end < text.size() && is_digit(text[end]))
        ++end;
    return end;
}

bool is_of_chip(const std::vector<std::string>& fields) {
    return fields.size() >= 4 && is_word(fields[0]) && is_word(fields[1]) && is_digits(fields[2]) &&
           !fields[3].empty() && is_digit(fields[3][0]);
}

/// head.index.timestamp, the suffix taken off: "head.index".
std::optional<std::string> golden_key(std::string_view base, bool with_dots) {
    const size_t time = base.rfind('.');
    if (time == std::string_view::npos) return std::nullopt;
    const std::string_view digits = base.substr(time + 1);
    if (!is_digits(digits) || digits.size() > kMostTimestampDigits) return std::nullopt;
    const std::string_view key = base.substr(0, time);
    const size_t index = key.rfind('.');
    if (index == std::string_view::npos || !is_digits(key.substr(index + 1)) ||
        !is_word(key.substr(0, index), with_dots))
        return std::nullopt;
    return std::string(key);
}

std::optional<DumpName> golden_name(std::string_view name, std::string_view suffix, DumpKind kind) {
    const auto key =
        golden_key(name.substr(0, name.size() - suffix.size()), kind == DumpKind::kNumpy);
    if (!key) return std::nullopt;
    return DumpName{kind, *key};
}

}  // namespace

std::string sanitized(std::string_view name) {
    std::string safe(name);
    std::replace_if(
        safe.begin(),
        safe.end(),
        [](char c) {
            const auto byte = static_cast<unsigned char>(c);
            return c == '.' || c == '/' || c == '\\' || byte <= 0x20 || byte == 0x7f;
        },
        '_');
    return safe;
}

std::string file_name(const FileNameFields& fields) {
    std::string name = sanitized(fields.op_type) + "." + sanitized(fields.op_name) + "." +
                       std::to_string(fields.task_id) + ".";
    if (fields.stream_id) name += std::to_string(*fields.stream_id) + ".";
    name += std::to_string(fields.timestamp);
    if (fields.ffts)
        for (const uint64_t field : {fields.ffts->task_type,
                                     fields.ffts->context_id,
                                     fields.ffts->thread_id,
                                     fields.ffts->device_id})
            name += "." + std::to_string(field);
    return name;
}

std::optional<FileNameFields> parse_file_name(std::string_view name) {
    constexpr size_t kNames = 2;
    constexpr size_t kFfts = 4;
    const auto parts = fields_of(name, '.');
    if (parts.size() < kNames || parts[0].empty() || parts[1].empty()) return std::nullopt;
    std::vector<uint64_t> numbers;
    for (size_t i = kNames; i < parts.size(); ++i) {
        const auto value = number(parts[i]);
        if (!value) return std::nullopt;
        numbers.push_back(*value);
    }
    FileNameFields fields;
    fields.op_type = parts[0];
    fields.op_name = parts[1];
    if (numbers.size() == 2 + kFfts || numbers.size() == 3 + kFfts) {
        const auto* const own = numbers.data() + numbers.size() - kFfts;
        fields.ffts = {own[0], own[1], own[2], own[3]};
        numbers.resize(numbers.size() - kFfts);
    }
    if (numbers.size() != 2 && numbers.size() != 3) return std::nullopt;
    fields.task_id = numbers[0];
    if (numbers.size() == 3) fields.stream_id = numbers[1];
    fields.timestamp = numbers.back();
    return fields;
}

std::string name_digits(std::string_view name) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (const char c : name) {
        hash ^= static_cast<unsigned char>(c);
        hash *= 0x100000001b3u;
    }
    return std::to_string(hash);
}

std::string stored_name(const std::string& name) {
    return name.size() <= kMostNameBytes ? name : name_digits(name);
}

std::map<std::string, std::string> read_mapping(const std::filesystem::path& folder) {
    std::map<std::string, std::string> names;
    std::ifstream file(folder / kMappingName);
    for (std::string line; std::getline(file, line);) {
        if (line.ends_with('\r')) line.pop_back();
        const size_t comma = line.find(',');
        if (comma == std::string::npos || line.find('/') != std::string::npos) continue;
        names[line.substr(0, comma)] = line.substr(comma + 1);
    }
    return names;
}

std::optional<DumpName> parse_dump_name(std::string_view name) {
    if (name.ends_with(".npy")) return golden_name(name, ".npy", DumpKind::kNumpy);
    if (name.ends_with(".pb")) return golden_name(name, ".pb", DumpKind::kStandard);
    if (name.ends_with(".quant")) return golden_name(name, ".quant", DumpKind::kQuant);
    const auto fields = fields_of(name, '.');
    if (!is_of_chip(fields)) return std::nullopt;
    return DumpName{DumpKind::kOffline, fields[1]};
}

std::string without_slices(std::string_view name) {
    std::string result;
    while (!name.empty()) {
        const size_t at = name.find(kSliceMark);
        if (at == std::string_view::npos) break;
        const size_t end = digits_from(name, at + kSliceMark.size());
        const bool has_number = end > at + kSliceMark.size();
        result += name.substr(0, has_number ? at : at + kSliceMark.size());
        name.remove_prefix(end);
    }
    return result + std::string(name);
}

std::string without_slice_marks(const std::string& key, bool with_fusion_rule) {
    const bool has_slice = key.find(kSliceMark) != std::string::npos;
    if (with_fusion_rule && has_slice) return without_slices(key);
    std::string name = key;
    if (has_slice) {
        // The first lxslice<N> counts, and only at the end.
        for (size_t at = name.find(kSlice); at != std::string::npos;
             at = name.find(kSlice, at + 1)) {
            const size_t end = digits_from(name, at + kSlice.size());
            if (end == at + kSlice.size()) continue;
            if (end == name.size() && at > 0) name.resize(at - 1);
            break;
        }
    }
    if (name.find(kSubgraphMark) != std::string::npos) {
        for (size_t at = name.rfind(kSubgraph); at != std::string::npos;
             at = at == 0 ? std::string::npos : name.rfind(kSubgraph, at - 1)) {
            const size_t end = digits_from(name, at + kSubgraph.size());
            if (end == at + kSubgraph.size()) continue;
            if (end != name.size()) name.erase(0, end + 1);
            break;
        }
    }
    return name;
}

TaskMode task_mode_of(const std::string& name) {
    const auto fields = fields_of(name, '.');
    if (name.ends_with(".npy") || fields.size() <= kPlainFields) return TaskMode::kNormal;
    const std::string& type = fields[fields.size() - 4];
    if (type.size() != 1 || type[0] < '0' || type[0] > '4')
        throw DumpError("The dump file's name '" + name + "' has the task type '" + type +
                            "'; the types are 0 to 4.",
                        DumpProblem::kTaskType);
    if (type != "4") return TaskMode::kNormal;
    return name.find(kSliceMark) == std::string::npos ? TaskMode::kAutomatic : TaskMode::kManual;
}

int64_t timestamp_of(const std::string& name, TaskMode mode) {
    const auto fields = fields_of(name, '.');
    size_t field = fields.size() - 1;
    if (mode != TaskMode::kNormal) {
        field = 4;
    } else if (name.ends_with(".npy") || name.ends_with(".pb") || name.ends_with(".quant")) {
        field = 2;
    }
    if (field >= fields.size() || fields[field].size() != kTimestampDigits) return 0;
    return natural(fields[field]).value_or(0);
}

int64_t part_of(const std::string& name, TaskMode mode) {
    constexpr int64_t kNoThread = 2;
    constexpr int64_t kNoSlice = 3;
    const auto fields = fields_of(name, '.');
    if (mode == TaskMode::kAutomatic)
        return fields.size() < 2 ? kNoThread
                                 : natural(fields[fields.size() - 2]).value_or(kNoThread);
    if (mode == TaskMode::kNormal || fields.size() < 2 || fields[1].empty()) return kNoSlice;
    return is_digit(fields[1].back()) ? fields[1].back() - '0' : kNoSlice;
}

std::optional<std::string> op_type_of(const std::string& name) {
    const auto fields = fields_of(name, '.');
    // A golden's suffix is no reason to refuse: only the start of the name is looked at.
    if (!is_of_chip(fields)) return std::nullopt;
    return fields[0];
}

bool is_quantised(std::string_view key) {
    return std::any_of(kQuantMarks.begin(), kQuantMarks.end(), [&](std::string_view mark) {
        return key.find(mark) != std::string_view::npos;
    });
}

}  // namespace npuscope::cann_dump
