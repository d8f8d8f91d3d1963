// An ONNX graph as the lowering sees it: checked, numbered, and free of protobuf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/ir/value.h"
#include "core/tensor/tensor.h"
#include "npu_backend/onnx/model.h"

namespace npuscope::onnx_model {

struct Operator;
struct Body;

struct Attribute {
    std::string name;
    // A body is shared because a graph may be copied while it is read; it is never written after.
    std::variant<int64_t,
                 double,
                 std::string,
                 IntList,
                 std::vector<double>,
                 std::vector<std::string>,
                 Tensor,
                 DType,  ///< the element type of a type
                 std::shared_ptr<const Body>>
        value;
};

/// Values are numbered; kNoValue stands for an input or output that is left out.
inline constexpr int kNoValue = -1;

struct Node {
    const Operator* op = nullptr;  ///< a row of operators.def
    std::string name;              ///< the file's, or the operator's type and the node's index
    std::vector<int> inputs;
    std::vector<int> outputs;
    std::vector<Attribute> attributes;
    int64_t opset = 0;           ///< of the model or the function that it is written in
    std::vector<int> last_uses;  ///< values that nobody needs after this node
};

/// Nodes between inputs and outputs: a whole graph, or a branch or loop body inside one, which may
/// use the values around it. All values of a graph and its bodies have numbers of their own.
struct Body {
    std::vector<int> input_values;
    std::vector<int> output_values;
    std::vector<std::pair<int, Tensor>> initializers;
    std::vector<Node> nodes;  ///< each uses only what earlier ones made
};

struct Graph : Body {
    std::vector<TensorInfo> inputs;  ///< those that are no initializers
    std::vector<TensorInfo> outputs;
    std::vector<std::string> value_names;
};

/// Errors: as Model::load().
[[nodiscard]] Graph read_graph(const std::filesystem::path& path);

/// The same from bytes in memory, which cannot have data in other files.
[[nodiscard]] Graph read_graph(std::span<const std::byte> bytes);

}  // namespace npuscope::onnx_model
