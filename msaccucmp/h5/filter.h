// The -p 1 option: rows of low cosine similarity and their tensors, written apart.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "msaccucmp/base/log.h"
#include "msaccucmp/columns/row.h"
#include "msaccucmp/h5/open_dump.h"

namespace npuscope::msaccucmp {

/// Whether -p 1 keeps a row of this cosine text: "NaN", or a number of at most 0.95.
[[nodiscard]] bool is_kept(const std::string& cosine);

/// Writes <result>_filtered/filtered_result.csv and, beside it, my_dump/<path>.npy and
/// gold_dump/<path>.npy for the kept rows' tensors. Errors: CommandError when a file cannot be
/// made; a tensor that cannot be saved is a warning.
void write_filtered(const std::filesystem::path& result,
                    const std::vector<std::string>& columns,
                    const std::vector<Row>& rows,
                    const OpenDump& my,
                    const OpenDump& golden,
                    Log& log);

}  // namespace npuscope::msaccucmp
