#include "core/cann_dump/name.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <vector>

namespace npuscope::cann_dump {

namespace {

constexpr size_t kMostNameBytes = 255;

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (size_t at = text.find(separator); at != std::string_view::npos;
         at = text.find(separator)) {
        parts.push_back(text.substr(0, at));
        text.remove_prefix(at + 1);
    }
    parts.push_back(text);
    return parts;
}

std::optional<uint64_t> number(std::string_view text) {
    uint64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
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
    const auto parts = split(name, '.');
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

}  // namespace npuscope::cann_dump
