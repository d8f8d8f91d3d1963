// An ONNX model, lowered to IR ops and ready to run on any executor.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/npz/npy.h"
#include "npu_backend/executor.h"

namespace npuscope::onnx_model {

struct TensorInfo {
    std::string name;
    DType dtype = DType::kFloat32;
    std::vector<int64_t> shape;        ///< -1 for a symbolic dimension
    std::vector<std::string> symbols;  ///< its name, "" for a fixed one
};

/// Immutable after loading; run() may be called from several threads with different executors.
class Model {
  public:
    /// Errors: Error(kIo|kFormat) unreadable, truncated or not ONNX; Error(kUnsupported) names the
    /// first node whose operator is missing and how many others (distinct operators and nodes) are
    /// missing.
    [[nodiscard]] static Model load(const std::filesystem::path& path);
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
