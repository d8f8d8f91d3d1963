// What the names of dump files say: the kind of dump, the op, the task and the time.
//
//   NPU dumps  op_type.op_name.task_id[.stream_id].timestamp[.task_type.context.thread.device]
//   goldens    op_name.output_index.timestamp.{npy,pb,quant}
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace npuscope::msaccucmp {

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

/// Errors: CommandError(kInvalidTaskType) when the name has a task type that there is not.
[[nodiscard]] TaskMode task_mode_of(const std::string& name);

/// 16 digits, else 0. FFTS+ dumps have it in the fifth field, NPU dumps in the last, goldens in the
/// third.
[[nodiscard]] int64_t timestamp_of(const std::string& name, TaskMode mode);

/// The order of an FFTS+ op's files after their time: the thread, or the slice.
[[nodiscard]] int64_t part_of(const std::string& name, TaskMode mode);

/// The first field of an NPU dump's name, "NaN" for other names.
[[nodiscard]] std::string op_type_of(const std::string& name);

/// Whether the key belongs to an op of a quantised model.
[[nodiscard]] bool is_quantised(std::string_view key);

[[nodiscard]] std::vector<std::string> fields_of(std::string_view name, char separator = '.');
[[nodiscard]] bool is_digits(std::string_view text);

}  // namespace npuscope::msaccucmp
