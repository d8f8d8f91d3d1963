// Functions whose op depends on their arguments: matmul, pad, interpolate.
#pragma once

#include "diagnose/apis/api_call.h"

namespace npuscope::diagnose {

/// One rule: ApiName::op is "@" and its name.
struct SpecialCall {
    std::string_view name;
    std::string_view becomes;  ///< the ops that it comes to, blanks between
    ApiCall (*bind)(const std::vector<NamedOperand>& arguments,
                    const std::vector<SourceTensor>& outputs);
};

[[nodiscard]] std::span<const SpecialCall> all_special_calls();
/// nullptr where there is none; `name` with its '@'.
[[nodiscard]] const SpecialCall* find_special_call(std::string_view name);

}  // namespace npuscope::diagnose
