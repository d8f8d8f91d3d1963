// An ONNX model, lowered to IR ops and ready to run on any executor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/npz/npy.h"
#include "npu_backend/executor.h"
#include "npu_backend/onnx/run_limits.h"

namespace npuscope::onnx_model {

enum class ValueKind : uint8_t { kTensor, kSequence };

/// A declared input or output. The dtype and shape of a sequence are those of its elements.
struct TensorInfo {
    std::string name;
    DType dtype = DType::kFloat32;
    std::vector<int64_t> shape;        ///< -1 for a symbolic dimension
    std::vector<std::string> symbols;  ///< its name, "" for a fixed one
    ValueKind kind = ValueKind::kTensor;
    bool optional = false;    ///< may have no content
    bool shape_known = true;  ///< false: any shape
};

/// A sequence `name` goes in and out as the arrays `name/0`, `name/1`, …; an optional without
/// content, like an empty sequence, as no array.
/// Immutable after loading; run() may be called from several threads with different executors.
class Model {
  public:
    /// Tensors may lie in other files below the model's folder.
    /// Errors: Error(kIo|kFormat) unreadable, truncated or not ONNX; Error(kUsage) data outside the
    /// folder; Error(kUnsupported) lists every operator that is missing with its first node and the
    /// number of its nodes.
    [[nodiscard]] static Model load(const std::filesystem::path& path,
                                    const RunLimits& limits = {});
    /// The same from a file's content, which cannot have tensors elsewhere; its path() is empty.
    [[nodiscard]] static Model from_bytes(std::span<const std::byte> bytes,
                                          const RunLimits& limits = {});
    ~Model();
    Model(Model&&) noexcept;
    Model& operator=(Model&&) noexcept;
    Model(const Model&) = delete;
    Model& operator=(const Model&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const;
    [[nodiscard]] const std::vector<TensorInfo>& inputs()
        const;  ///< graph inputs that are no initializers
    [[nodiscard]] const std::vector<TensorInfo>& outputs() const;
    [[nodiscard]] int64_t node_count() const;

    /// Whether an array of this name is an input, or an element of one.
    [[nodiscard]] bool takes(const std::string& array) const;

    /// Throws Error(kUsage) that lists the model's inputs unless `inputs` fit in names, dtypes and
    /// shapes.
    void check_inputs(const NamedTensors& inputs) const;
    /// Outputs in graph order. `on_node(done, total, node name)` is called before each node.
    [[nodiscard]] NamedTensors run(
        Executor& executor,
        const NamedTensors& inputs,
        const std::function<void(int64_t, int64_t, const std::string&)>& on_node = {}) const;

  private:
    struct State;
    explicit Model(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace npuscope::onnx_model
