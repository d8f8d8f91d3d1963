// The files in which msprobe keeps the elements of tensors: dump_tensor_data/*.pt, *.npy, *.bin.
#pragma once

#include <filesystem>
#include <string>

#include "core/recording/source.h"

namespace npuscope::msprobe {

/// Lets `tensor`, whose dtype and shape are known, be opened from the file `name` of the folder. A
/// name that leads out of the folder sets its problem instead, as does an unknown kind of file; a
/// file that is missing, a link out of the folder, truncated, or holds another tensor is told when
/// it is opened. A .bin holds the bare elements in C order.
void attach_data(const std::filesystem::path& folder,
                 const std::string& name,
                 SourceTensor& tensor);

}  // namespace npuscope::msprobe
