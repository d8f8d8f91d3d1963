// The tensors and plain arguments of one record of a dump.json.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "core/recording/msprobe/dump_file.h"
#include "core/recording/msprobe/json_cursor.h"
#include "core/recording/source.h"

namespace npuscope::msprobe {

struct RecordContent {
    std::vector<SourceTensor> tensors{};  ///< inputs first
    std::vector<PlainArgument> arguments{};
    std::optional<bool> is_nan{};  ///< what the float status said after the op, where it was asked
};

/// What of a record is asked for; the rest is passed over.
enum class Wanted : uint8_t { kAll, kTensors, kArguments };

/// Elements lie in `folder`, and are opened when they are asked for. What is no tensor and no plain
/// value is passed over; of numbers that msprobe writes as null nothing is known.
/// Errors: Error(kFormat) names the record.
[[nodiscard]] RecordContent read_record(const Record& record,
                                        const std::filesystem::path& folder,
                                        Wanted wanted = Wanted::kAll);

}  // namespace npuscope::msprobe
