// Records of functions as runs of our ops, so that what judges ops judges them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/recording/source.h"

namespace npuscope::diagnose {

/// Gives each record of a function in `source` its calls: of a run the op that it came to, of a
/// gradient those that make it of its forward run's operands. Nothing is read until they are asked
/// for; a source that holds no elements is left as it is.
void describe_calls(Source& source);

/// A function by name and what it comes to, for people.
struct KnownApi {
    std::string api;       ///< "Functional.conv2d", "Torch.*" of what is called as its op
    std::string ops;       ///< IR names, blanks between
    std::string gradient;  ///< what computes it; "" where it is not computed
};

/// Of the table, in its order.
[[nodiscard]] std::vector<KnownApi> known_apis();

/// Whether there is an op of ours that the function may come to: "Torch.matmul".
[[nodiscard]] bool is_known_api(std::string_view api);

/// Functions that recorders wrap and that come to no op of ours: "Functional.ctc_loss".
[[nodiscard]] std::vector<std::string> apis_without_op();

}  // namespace npuscope::diagnose
