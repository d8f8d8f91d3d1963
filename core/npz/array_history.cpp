#include "core/npz/array_history.h"

#include <algorithm>

namespace npuscope {

namespace {

constexpr std::string_view kComputeType = "ComputeType=";
constexpr std::string_view kProgram = "Program=";
constexpr std::string_view kHonest = "Honest=yes";
constexpr std::string_view kFault = "Fault=";
/// Of a comment, 65535 characters may be kept.
constexpr size_t kLongestFault = 2000;

}  // namespace

std::string to_comment(const ArrayHistory& history) {
    std::string text;
    const auto add = [&](std::string_view key, std::string_view value) {
        text += text.empty() ? "" : "\n";
        text += key;
        text += value;
    };
    if (history.compute_type != ComputeType::kNone)
        add(kComputeType, name_of(history.compute_type));
    if (!history.program.empty()) add(kProgram, history.program);
    if (history.honest) add(kHonest, "");
    if (!history.fault.empty()) {
        std::string line = history.fault.substr(0, kLongestFault);
        std::ranges::replace(line, '\n', ' ');
        add(kFault, line);
    }
    return text;
}

ArrayHistory history_from_comment(std::string_view comment) {
    ArrayHistory history;
    while (!comment.empty()) {
        const size_t end = std::min(comment.find('\n'), comment.size());
        const std::string_view line = comment.substr(0, end);
        comment.remove_prefix(std::min(end + 1, comment.size()));
        if (line.starts_with(kComputeType))
            history.compute_type = compute_type_from_name(line.substr(kComputeType.size()))
                                       .value_or(ComputeType::kNone);
        if (line.starts_with(kProgram)) history.program = line.substr(kProgram.size());
        if (line == kHonest) history.honest = true;
        if (line.starts_with(kFault)) history.fault = line.substr(kFault.size());
    }
    return history;
}

}  // namespace npuscope
