// A call as PyTorch's DebugMode writes it on a line:
// "aten::mm(t: f32[1, 8], t: f32[8, 32])  ->  t: f32[1, 32]  # {'hash': 12.5}".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/recording/plain_arguments.h"
#include "core/recording/source.h"

namespace npuscope {

struct CallText {
    std::string name;  ///< "aten::mm"
    /// Named by their position, "0", by both where they are in a list, "0.1", or by keyword. A hash
    /// is RecordedStatistics::l1.
    std::vector<SourceTensor> inputs{};
    std::vector<SourceTensor> outputs{};
    std::vector<PlainArgument> arguments{};
};

/// Empty where the line is no call. Errors: none. Complexity: linear.
[[nodiscard]] std::optional<CallText> parse_call(const std::string& text);

}  // namespace npuscope
