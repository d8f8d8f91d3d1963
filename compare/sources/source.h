// Tensors of one run, wherever they were recorded: ops with inputs and outputs, or arrays.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compare/op_facts.h"
#include "compare/sources/recorded_statistics.h"
#include "core/dumpfile/layout.h"
#include "core/npz/npy.h"
#include "core/tensor/tensor.h"

namespace npuscope::compare {

struct SourceTensor {
    dumpfile::Direction direction = dumpfile::Direction::kOutput;
    std::string argument;  ///< "0", "weight"
    std::string path;      ///< for reports
    std::string dtype;
    ComputeType compute_type = ComputeType::kNone;  ///< what it was computed in
    Shape shape;
    std::optional<Tensor> data;
    std::optional<RecordedStatistics> statistics;
    std::string problem;  ///< what could not be read; "" where nothing was recorded
};

struct SourceOp {
    std::string name;
    /// Reads the op's tensors, inputs first. Errors: Error.
    std::function<std::vector<SourceTensor>()> load;
    /// What else was recorded of it; may be empty.
    std::function<SideFacts()> facts{};
};

/// In the order of recording.
using Source = std::vector<SourceOp>;

/// A .h5 dump; .npz, .npy, .pt and .safetensors files; a folder of CANN dump files; a folder of
/// msprobe (or a folder that holds exactly one), or its dump.json. Errors: Error(kUsage) anything
/// else, and those of the readers.
[[nodiscard]] Source open_source(const std::filesystem::path& path);

/// Arrays of one file: .npz, .npy, .pt or .safetensors.
[[nodiscard]] bool is_array_file(const std::filesystem::path& path);
[[nodiscard]] NamedTensors read_array_source(const std::filesystem::path& path);
/// What the arrays were computed in, where a .npz tells it.
[[nodiscard]] ComputeTypes read_compute_types(const std::filesystem::path& path);

/// Arrays called op.input.0 or op_output_y become tensors of an op, others ops of one output.
[[nodiscard]] Source source_of_arrays(const NamedTensors& arrays,
                                      const ComputeTypes& compute_types = {});
[[nodiscard]] Source source_of_dump(const std::filesystem::path& path);
[[nodiscard]] Source source_of_cann_folder(const std::filesystem::path& path);
/// `path` is the dump.json.
[[nodiscard]] Source source_of_msprobe(const std::filesystem::path& path);

}  // namespace npuscope::compare
