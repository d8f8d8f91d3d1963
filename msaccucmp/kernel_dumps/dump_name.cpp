#include "msaccucmp/kernel_dumps/dump_name.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "msaccucmp/base/exit_codes.h"
#include "msaccucmp/columns/row.h"

namespace npuscope::msaccucmp {

namespace {

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

int64_t number(std::string_view text, int64_t otherwise) {
    int64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    return failure == std::errc() && end == text.data() + text.size() && is_digits(text)
               ? value
               : otherwise;
}

}  // namespace

bool is_digits(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

std::vector<std::string> fields_of(std::string_view name, char separator) {
    std::vector<std::string> fields;
    for (;;) {
        const size_t end = name.find(separator);
        fields.emplace_back(name.substr(0, end));
        if (end == std::string_view::npos) return fields;
        name.remove_prefix(end + 1);
    }
}

std::optional<DumpName> parse_dump_name(std::string_view name) {
    if (name.ends_with(".npy")) return golden_name(name, ".npy", DumpKind::kNumpy);
    if (name.ends_with(".pb")) return golden_name(name, ".pb", DumpKind::kStandard);
    if (name.ends_with(".quant")) return golden_name(name, ".quant", DumpKind::kQuant);
    const auto fields = fields_of(name);
    if (fields.size() < 4 || !is_word(fields[0]) || !is_word(fields[1]) || !is_digits(fields[2]) ||
        fields[3].empty() || !is_digit(fields[3][0]))
        return std::nullopt;
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
    const auto fields = fields_of(name);
    if (name.ends_with(".npy") || fields.size() <= kPlainFields) return TaskMode::kNormal;
    const std::string& type = fields[fields.size() - 4];
    if (type.size() != 1 || type[0] < '0' || type[0] > '4')
        throw CommandError(kInvalidTaskType,
                           "The dump file's name '" + name + "' has the task type '" + type +
                               "'; the types are 0 to 4.");
    if (type != "4") return TaskMode::kNormal;
    return name.find(kSliceMark) == std::string::npos ? TaskMode::kAutomatic : TaskMode::kManual;
}

int64_t timestamp_of(const std::string& name, TaskMode mode) {
    const auto fields = fields_of(name);
    size_t field = fields.size() - 1;
    if (mode != TaskMode::kNormal) {
        field = 4;
    } else if (name.ends_with(".npy") || name.ends_with(".pb") || name.ends_with(".quant")) {
        field = 2;
    }
    if (field >= fields.size() || fields[field].size() != kTimestampDigits) return 0;
    return number(fields[field], 0);
}

int64_t part_of(const std::string& name, TaskMode mode) {
    constexpr int64_t kNoThread = 2;
    constexpr int64_t kNoSlice = 3;
    const auto fields = fields_of(name);
    if (mode == TaskMode::kAutomatic)
        return fields.size() < 2 ? kNoThread : number(fields[fields.size() - 2], kNoThread);
    if (mode == TaskMode::kNormal || fields.size() < 2 || fields[1].empty()) return kNoSlice;
    return is_digit(fields[1].back()) ? fields[1].back() - '0' : kNoSlice;
}

std::string op_type_of(const std::string& name) {
    const auto fields = fields_of(name);
    // A golden's suffix is no reason to refuse: only the start of the name is looked at.
    const bool is_dump = fields.size() >= 4 && is_word(fields[0]) && is_word(fields[1]) &&
                         is_digits(fields[2]) && !fields[3].empty() && is_digit(fields[3][0]);
    return is_dump ? fields[0] : kNotANumber;
}

bool is_quantised(std::string_view key) {
    return std::any_of(kQuantMarks.begin(), kQuantMarks.end(), [&](std::string_view mark) {
        return key.find(mark) != std::string_view::npos;
    });
}

}  // namespace npuscope::msaccucmp
