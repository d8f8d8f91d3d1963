// The ops of one group of the rule file, compared with the golden dumps that the rule names.
#pragma once

#include "msaccucmp/columns/algorithm_set.h"
#include "msaccucmp/folders/golden_tensor.h"
#include "msaccucmp/folders/group_result.h"
#include "msaccucmp/folders/result_table.h"

namespace npuscope::msaccucmp {

struct FusionOptions {
    const AlgorithmSet& algorithms;
    const TableFormat& format;
    int64_t most_elements = 0;  ///< -max; 0: all
};

/// Throws nothing for what is wrong with the dumps: it is in the rows and in the code.
[[nodiscard]] GroupResult compare_group(const FolderPair& folders,
                                        const FusionGroup& group,
                                        const FusionOptions& options,
                                        Log& log);

/// The rows of mapping.csv for one group, without the column names.
[[nodiscard]] std::vector<Row> map_group(const FolderPair& folders,
                                         const FusionGroup& group,
                                         bool with_sequence,
                                         Log& log);

/// Ops of an L1 group with dump files, the oldest file first.
[[nodiscard]] std::vector<const FusionOp*> by_dump_time(const FolderPair& folders,
                                                        const FusionGroup& group);

/// Dequantisations are compared by their outputs only, quantisations by their inputs only.
[[nodiscard]] bool is_dequantisation(const FusionOp& op);
[[nodiscard]] bool is_quantisation(const FusionOp& op);

/// The names in the columns NPUDump and GroundTruth.
[[nodiscard]] GroupNames row_names(const FusionRule& rule,
                                   const FusionGroup& group,
                                   const FusionOp& op);

}  // namespace npuscope::msaccucmp
