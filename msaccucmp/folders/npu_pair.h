// NPU dumps of one op on both sides, compared tensor by tensor without a rule file.
#pragma once

#include "msaccucmp/columns/algorithm_set.h"
#include "msaccucmp/folders/group_result.h"
#include "msaccucmp/folders/result_table.h"
#include "msaccucmp/kernel_dumps/reading.h"

namespace npuscope::msaccucmp {

/// One op of either folder or of both.
struct NpuPair {
    int64_t index = 0;
    std::string name;
    const FolderEntry* my = nullptr;
    const FolderEntry* golden = nullptr;
};

/// The ops of both folders: mine by time, then the golden's that mine lacks by time.
[[nodiscard]] std::vector<NpuPair> pair_folders(const DumpFolder& my, const DumpFolder& golden);

/// Throws nothing for what is wrong with the dumps: it is in the rows and in the code.
[[nodiscard]] GroupResult compare_npu_pair(const NpuPair& pair,
                                           const AlgorithmSet& algorithms,
                                           const TableFormat& format,
                                           Log& log);

}  // namespace npuscope::msaccucmp
