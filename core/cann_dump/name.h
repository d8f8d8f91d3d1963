// Names of dump files: op type, op name, task, stream, time.
//
//   Conv2D.layer1_conv.12.3.1700000000000001
//   Conv2D.layer1_conv.12.3.1700000000000001.4.7.0.1     FFTS+: task type, context, thread, device
//
// Source: CANN's dump manual; the dump task of its runtime.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace npuscope::cann_dump {

/// Table of the names that were too long for a file, beside the files.
inline constexpr const char* kMappingName = "mapping.csv";

struct FftsFields {
    uint64_t task_type = 4;
    uint64_t context_id = 0;
    uint64_t thread_id = 0;
    uint64_t device_id = 0;
};

struct FileNameFields {
    std::string op_type{};
    std::string op_name{};
    uint64_t task_id = 0;
    std::optional<uint64_t> stream_id{};  ///< old dumps have none
    uint64_t timestamp = 0;               ///< microseconds since 1970
    std::optional<FftsFields> ffts{};
};

/// The characters "." "/" "\" and blank become "_"; so do control characters.
[[nodiscard]] std::string sanitized(std::string_view name);

/// The fields joined by ".", op type and name sanitised.
[[nodiscard]] std::string file_name(const FileNameFields& fields);

/// Nothing when `name` is not exactly of that form.
[[nodiscard]] std::optional<FileNameFields> parse_file_name(std::string_view name);

/// Decimal digits that stand for a name: its 64-bit FNV-1a hash.
[[nodiscard]] std::string name_digits(std::string_view name);

/// `name`, or its digits when a file cannot be called so (over 255 bytes).
[[nodiscard]] std::string stored_name(const std::string& name);

/// Stored name -> name, from the mapping.csv of a folder; empty when there is none. Lines without
/// a comma are passed over; a name with a "/" is not believed.
[[nodiscard]] std::map<std::string, std::string> read_mapping(const std::filesystem::path& folder);

}  // namespace npuscope::cann_dump
