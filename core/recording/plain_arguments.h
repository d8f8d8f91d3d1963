// Arguments that are no tensors (eps, stride, a dtype), and which of them differ between two sides.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/dumpfile/reader.h"

namespace npuscope {

struct PlainArgument {
    std::string name;               ///< as the canonical op calls it
    std::string recorded{};         ///< as the recorder called it
    std::vector<double> numbers{};  ///< empty where `text` is the value
    std::string text{};             ///< "float16", "mean"
    bool is_list = false;
    bool is_bool = false;
    bool is_whole = false;  ///< of an integer dtype
};

/// "float32" of "torch.float32", as dumps call dtypes; other words as they are.
[[nodiscard]] std::string plain_text(const std::string& text);

/// Whether that is what Python prints of an object that has no value of its own,
/// "<torch._C.Generator object at 0x7f33>": another one in each run.
[[nodiscard]] bool is_address(const std::string& text);

/// Both values as text, "0.001" and "1e-05".
struct ArgumentDifference {
    std::string name;  ///< as the canonical op calls it
    std::string target;
    std::string golden;
};

/// "eps 0.001, golden 1e-05", "argument 1 is 0.5, golden 0.99"; several are joined by "; ".
[[nodiscard]] std::string to_text(const std::vector<ArgumentDifference>& differences);

/// The arguments of an op in a dump, those that are words (`facts`) behind the others; what cannot
/// be read is left out.
[[nodiscard]] std::vector<PlainArgument> plain_arguments(const dumpfile::Reader& reader,
                                                         const dumpfile::OpEntry& op,
                                                         const dumpfile::OpFacts& facts);

/// Arguments of equal names with other values, in the target's order. Numbers that are equal in
/// float32 count as equal: a model file keeps attributes in that precision. What one side does not
/// record is no difference: recorders leave defaults out.
[[nodiscard]] std::vector<ArgumentDifference> differing_arguments(
    const std::vector<PlainArgument>& target, const std::vector<PlainArgument>& golden);

/// Those that one side alone records; the other's value is "not given".
[[nodiscard]] std::vector<ArgumentDifference> one_sided_arguments(
    const std::vector<PlainArgument>& target, const std::vector<PlainArgument>& golden);

}  // namespace npuscope
