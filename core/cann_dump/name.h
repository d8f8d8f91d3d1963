// Names of dump files.
//
//   of a chip   op_type.op_name.task[.stream].time[.task_type.context.thread.device]   FFTS+: the
//   last of a golden op_name.output.time.{npy,pb,quant}
//
// FileNameFields are the fields of the first form, exactly as CANN's runtime writes them. DumpName
// and what follows it look at either form as CANN's tool msaccucmp does, which is content with
// less. Source: CANN's dump manual; the dump task of its runtime; msaccucmp.
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

enum class DumpKind { kOffline, kStandard, kQuant, kNumpy };

/// How an FFTS+ op was cut: by threads, by slices of the graph, or not at all.
enum class TaskMode { kNormal, kAutomatic, kManual };

struct DumpName {
    DumpKind kind = DumpKind::kOffline;
    std::string key;  ///< op_name, or op_name.output_index
};

inline constexpr std::string_view kSliceMark = "_lxslice";

/// Nothing when the name is not one of a dump file.
[[nodiscard]] std::optional<DumpName> parse_dump_name(std::string_view name);

/// The name of the op that slices and subgraphs belong to. With a fusion rule every slice mark
/// goes, else a slice mark at the end and everything up to the last sgt_graph_<N>_.
[[nodiscard]] std::string without_slice_marks(const std::string& key, bool with_fusion_rule);

/// `name` without all _lxslice<N>.
[[nodiscard]] std::string without_slices(std::string_view name);

/// Errors: DumpError(kTaskType).
[[nodiscard]] TaskMode task_mode_of(const std::string& name);

/// 16 digits, else 0. FFTS+ dumps have it in the fifth field, NPU dumps in the last, goldens in the
/// third.
[[nodiscard]] int64_t timestamp_of(const std::string& name, TaskMode mode);

/// The order of an FFTS+ op's files after their time: the thread, or the slice.
[[nodiscard]] int64_t part_of(const std::string& name, TaskMode mode);

/// The first field of an NPU dump's name; nothing for other names.
[[nodiscard]] std::optional<std::string> op_type_of(const std::string& name);

/// Whether the key belongs to an op of a quantised model.
[[nodiscard]] bool is_quantised(std::string_view key);

}  // namespace npuscope::cann_dump
