#include "core/recording/msprobe_program.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/pending_file.h"

namespace npuscope {

namespace {

using json = nlohmann::ordered_json;

json read_object(const std::filesystem::path& path) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) return json::object();
    try {
        json root = json::parse(read_text_file(path), nullptr, false);
        return root.is_object() ? root : json::object();
    } catch (const Error&) {
        return json::object();
    }
}

bool is_of_a_framework(std::string_view frame) {
    constexpr std::array<std::string_view, 4> kPackages = {
        "/msprobe/", "/torch/", "/torch_npu/", "/mindspore/"};
    const std::string_view path = frame.substr(0, frame.find(", line "));
    return std::any_of(kPackages.begin(), kPackages.end(), [&](std::string_view package) {
        return path.find(package) != std::string_view::npos;
    });
}

/// "/net.py:12" of "File /net.py, line 12, in forward, …"; "" of anything else.
std::string place_of(std::string_view frame) {
    constexpr std::string_view kFile = "File ";
    constexpr std::string_view kLine = ", line ";
    const size_t line = frame.find(kLine);
    if (!frame.starts_with(kFile) || line == std::string_view::npos) return {};
    const std::string_view number = frame.substr(line + kLine.size());
    return std::string(frame.substr(kFile.size(), line - kFile.size())) + ":" +
           std::string(number.substr(0, number.find(',')));
}

std::string innermost_line(const json& frames) {
    if (!frames.is_array()) return {};
    for (const json& frame : frames)
        if (frame.is_string() && !is_of_a_framework(frame.get_ref<const std::string&>()))
            return place_of(frame.get_ref<const std::string&>());
    return {};
}

}  // namespace

MsprobeProgram::MsprobeProgram(const std::filesystem::path& folder) {
    const json construct = read_object(folder / "construct.json");
    for (const auto& [op, module] : construct.items())
        if (module.is_string()) modules_[op] = module.get<std::string>();
    const json stack = read_object(folder / "stack.json");
    for (const auto& [key, value] : stack.items()) {
        // {"0": [[op, …], [frame, …]]}, before that {op: [frame, …]}.
        const bool shared = value.is_array() && value.size() == 2 && value[0].is_array();
        const std::string line = innermost_line(shared ? value[1] : value);
        if (!shared) {
            lines_[key] = line;
            continue;
        }
        for (const json& op : value[0])
            if (op.is_string()) lines_[op.get<std::string>()] = line;
    }
}

dumpfile::OpFacts MsprobeProgram::facts_of(const std::string& op) const {
    dumpfile::OpFacts facts;
    if (const auto module = modules_.find(op); module != modules_.end())
        facts.source.module = module->second;
    if (const auto line = lines_.find(op); line != lines_.end()) facts.source.line = line->second;
    return facts;
}

}  // namespace npuscope
