// The golden tensor that belongs to an op's input or output, found through the rule file.
#pragma once

#include <optional>
#include <string>

#include "msaccucmp/kernel_dumps/reading.h"
#include "msaccucmp/rules/fusion_rule.h"

namespace npuscope::msaccucmp {

/// The two folders and the rule between them.
struct FolderPair {
    const DumpFolder& my;
    const DumpFolder& golden;
    const FusionRule& rule;

    /// A quantised original model against the original one: no format is changed.
    [[nodiscard]] bool are_both_original() const {
        return my.kind() == DumpKind::kQuant && golden.kind() == DumpKind::kStandard;
    }
};

struct TensorIndex {
    int64_t index = 0;
    bool is_input = false;

    [[nodiscard]] std::string text(const std::string& op) const {
        return op + (is_input ? ":input:" : ":output:") + std::to_string(index);
    }
};

/// The op of mine whose output the golden tensor is: the op itself, or the one that feeds it. Cast
/// and TransData are looked through. Errors: CompareFailure of FusionOp and FusionRule,
/// (kInvalidJsonFile) ops that feed each other in a circle.
struct ProducedBy {
    const FusionOp* op = nullptr;
    int64_t output = 0;
};
[[nodiscard]] ProducedBy produced_by(const FusionRule& rule,
                                     const FusionOp& op,
                                     const TensorIndex& tensor);

struct GoldenTensor {
    DumpedTensor tensor;
    std::string format;  ///< by the rule file; empty: unknown
    Shape shape;         ///< by the rule file, or that of the dump
    std::string path;
};

/// Null when there is no file. Errors: CompareFailure.
[[nodiscard]] const FolderEntry* find_golden(const FolderPair& folders, const OriginTensor& origin);
/// Errors: CompareFailure, (kNoDumpFile) among them.
[[nodiscard]] GoldenTensor read_golden(const FolderPair& folders,
                                       const OriginTensor& origin,
                                       Log& log);

/// An op of mine. Null when there is no file.
[[nodiscard]] const FolderEntry* find_mine(const FolderPair& folders, const std::string& op);

}  // namespace npuscope::msaccucmp
