// Tensors in the files of other frameworks, read without them: PyTorch's .pt and .safetensors.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
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

/// A lone tensor of C order in what torch.save wrote, by its place in the file.
struct TorchPlace {
    DType dtype = DType::kFloat32;
    Shape shape;
    std::span<const std::byte> elements;  ///< of `file`
};
/// `file` are the bytes of the file at `path`. Nothing where it holds anything else, or a dtype
/// whose bytes need a look (bool): read_torch_file() reads these, and tells what is damaged.
[[nodiscard]] std::optional<TorchPlace> locate_torch_tensor(const std::filesystem::path& path,
                                                            std::span<const std::byte> file);

/// In the order of their names. Source: the safetensors format description (u64 length of a JSON
/// header, the header, the data). Errors: Error(kIo|kFormat), Error(kUnsupported) a dtype outside
/// the table.
[[nodiscard]] NamedTensors read_safetensors(const std::filesystem::path& path);

}  // namespace npuscope
