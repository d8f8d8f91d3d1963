// Numbers the values of an ONNX graph and turns its nodes into ours, functions of the model
// inlined.
#pragma once

#include <cstdint>
#include <memory>
#include <onnx/onnx_pb.h>
#include <string>
#include <unordered_map>
#include <vector>

#include "npu_backend/onnx/external_data.h"
#include "npu_backend/onnx/graph.h"
#include "npu_backend/onnx/local_functions.h"

namespace npuscope::onnx_model {

/// Nodes that one model may have once its functions are inlined: functions that call functions
/// could otherwise grow without bound.
inline constexpr int64_t kMostNodes = int64_t{1} << 20;
/// Bytes of all long names of nodes and values with functions inlined, which repeat the names of
/// their calls.
inline constexpr size_t kMostNameBytes = size_t{1} << 28;
inline constexpr size_t kLongName = 1024;
/// Functions within functions within functions.
inline constexpr size_t kDeepestCall = 64;
/// Functions around an error that its message names.
inline constexpr size_t kNamedCalls = 2;

/// What all readers of one model share.
struct ReadContext {
    Graph& graph;
    const LocalFunctions& functions;
    ExternalData& files;
    int64_t nodes = 0;
    size_t name_bytes = 0;
    std::vector<const onnx::FunctionProto*> calls;  ///< the functions around, outermost first
};

/// What the nodes of one list see: those of a graph, or those of a function that is being inlined.
struct ReadScope {
    using Numbers = std::unordered_map<std::string, int>;

    Numbers numbers;     ///< values by name
    std::string prefix;  ///< of node names
    int64_t opset = 0;
    const std::vector<Attribute>* arguments = nullptr;  ///< of the call; nullptr outside functions
};

/// Reads one graph: the outermost one, or the body of a node.
class GraphReader {
  public:
    /// `scope` is what lies around a body. Borrows everything.
    GraphReader(const onnx::GraphProto& proto,
                ReadContext& context,
                ReadScope scope,
                bool outermost);

    /// Declarations of inputs and outputs go to the graph when it is the outermost one.
    /// Errors: as Model::load().
    [[nodiscard]] Body read();

  private:
    using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

    int define(const std::string& name, const std::string& what);
    /// Errors: Error(kUnsupported) where all names together are too long.
    void take_name(const std::string& name, const std::string& what);
    void bind(const std::string& name, int number, const std::string& what);
    [[nodiscard]] int use(const std::string& name, const std::string& user) const;
    void read_initializers();
    void read_inputs();
    void read_outputs();
    void read_nodes(const Nodes& nodes);
    void read_node(const onnx::NodeProto& proto, int index);
    [[nodiscard]] std::shared_ptr<const Body> read_body(const onnx::GraphProto& proto,
                                                        const std::string& whose);
    /// Nothing for one that refers to an argument which the call leaves out.
    [[nodiscard]] std::vector<Attribute> read_attributes(const onnx::NodeProto& proto,
                                                         const std::string& what);
    void inline_call(const onnx::NodeProto& proto,
                     const onnx::FunctionProto& function,
                     const std::string& what,
                     const std::string& name);
    [[nodiscard]] ReadScope scope_of_call(const onnx::NodeProto& proto,
                                          const onnx::FunctionProto& function,
                                          const std::string& what,
                                          const std::string& name,
                                          const std::vector<Attribute>& arguments) const;
    void find_last_uses();

    const onnx::GraphProto& proto_;
    ReadContext& context_;
    Body body_;
    ReadScope scope_;
    const Nodes* nodes_ = nullptr;  ///< the list that is being read
    int first_own_;
    bool outermost_;
};

}  // namespace npuscope::onnx_model
