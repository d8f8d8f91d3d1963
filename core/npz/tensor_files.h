// Tensors in the files of other frameworks, read without them: PyTorch's .pt and .safetensors.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/npz/npy.h"

namespace npuscope {

/// The tensors in what torch.save (PyTorch 1.6 or later) wrote: a tensor, or dicts, lists and
/// tuples of them, whose keys and positions are joined with "." to names ("tensor" for a lone one).
/// No code in the file is run; everything else in it is passed over. Errors: Error(kIo|kFormat),
/// Error(kUnsupported) an older file, or a dtype outside the table.
[[nodiscard]] NamedTensors read_torch_file(const std::filesystem::path& path);

/// The same, and what was passed over that is no tensor, number, text or container of them: its
/// place and class, "args (argparse.Namespace)". Errors: as above.
struct TorchContent {
    NamedTensors tensors;
    std::vector<std::string> passed_over{};
};
[[nodiscard]] TorchContent read_torch_content(const std::filesystem::path& path);

/// In the order of their names. Source: the safetensors format description (u64 length of a JSON
/// header, the header, the data). Errors: Error(kIo|kFormat), Error(kUnsupported) a dtype outside
/// the table.
[[nodiscard]] NamedTensors read_safetensors(const std::filesystem::path& path);

}  // namespace npuscope
