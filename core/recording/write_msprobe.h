// Writes a recording as msprobe's PyTorch dump of tensors lays it out: dump.json, stack.json,
// construct.json and dump_tensor_data/. Source: Ascend/msprobe, python/msprobe/core/dump.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "core/recording/source.h"

namespace npuscope {

struct WrittenTree {
    int64_t records = 0;
    int64_t tensors = 0;       ///< files
    int64_t without_data = 0;  ///< tensors of a dtype that a .pt cannot hold, or without elements
};

/// An op becomes the record "Aten.<IR name>.<n>.forward", n its run of that name from 0, with its
/// inputs as keyword arguments and its outputs by their names. Statistics are of the elements.
/// `folder` appears when it is complete. `on_op` is called after each op. Errors: Error(kUsage)
/// where the folder is there, Error(kIo) where it cannot be written, as the source's where that
/// cannot be read.
WrittenTree write_msprobe(const Source& source,
                          const std::filesystem::path& folder,
                          const std::function<void(int64_t done, int64_t total)>& on_op = {});

}  // namespace npuscope
