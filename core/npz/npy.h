// NumPy's array formats: .npy files and .npz archives.
// Source: numpy.lib.format documentation, versions 1.0 to 3.0.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/npz/array_history.h"
#include "core/tensor/real_array.h"

namespace npuscope {

/// Parses one .npy image. Fortran order is turned into C order, big endian into little. `what`
/// names the source in messages. Errors: Error(kFormat) damaged, Error(kUnsupported) a dtype
/// outside the table.
[[nodiscard]] Tensor parse_npy(std::span<const std::byte> image, const std::string& what);

/// Magic, version and header of a version 1.0 image: what is in front of the elements. `descr` is
/// NumPy's, "<f4" say.
[[nodiscard]] std::string npy_header(std::string_view descr, std::span<const int64_t> shape);

/// A version 1.0 image. bfloat16 is written as float32, since NumPy has no such dtype.
[[nodiscard]] std::string format_npy(const TensorView& tensor);

[[nodiscard]] Tensor read_npy(const std::filesystem::path& path);

[[nodiscard]] RealArray read_npy_real(const std::filesystem::path& path);

void write_npy(const std::filesystem::path& path, const TensorView& tensor);

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

/// Arrays of a .npz in archive order, names without ".npy".
[[nodiscard]] NamedTensors read_npz(const std::filesystem::path& path);

/// What the comments of the entries say. Errors: as read_npz().
[[nodiscard]] ArrayHistories read_npz_histories(const std::filesystem::path& path);
/// Under the final name only when complete.
void write_npz(const std::filesystem::path& path,
               const NamedTensors& arrays,
               const ArrayHistories& histories = {});

}  // namespace npuscope
