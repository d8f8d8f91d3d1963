// One node of a graph while it runs: its inputs and attributes, and the IR ops it is lowered to.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/value.h"
#include "npu_backend/executor.h"
#include "npu_backend/onnx/graph.h"
#include "npu_backend/onnx/graph_value.h"
#include "npu_backend/onnx/operators.h"
#include "npu_backend/onnx/run_limits.h"

namespace npuscope::onnx_model {

/// Borrows everything for the call. Errors of all members: Error(kFormat) for a graph that does
/// not fit its operators' definitions, Error(kUnsupported).
class NodeRun {
  public:
    NodeRun(const Node& node, std::vector<Slot>& slots, Executor& executor, RunBudget& budget);

    /// The node's lowering.
    void lower();

    /// Of the model, or of the function that the node was written in.
    [[nodiscard]] int64_t opset() const { return node_.opset; }
    /// The first IR op of the operator's row: what a lowering that several rows share calls.
    [[nodiscard]] std::string_view ir_op() const {
        return node_.op->ir_ops.substr(0, node_.op->ir_ops.find(' '));
    }
    [[nodiscard]] size_t input_count() const { return node_.inputs.size(); }
    [[nodiscard]] bool has_input(size_t index) const;
    [[nodiscard]] const Tensor& input(size_t index) const;
    /// An input that must be a sequence.
    [[nodiscard]] const TensorList& sequence(size_t index) const;
    /// An input of any kind that has been computed.
    [[nodiscard]] const GraphValue& value(size_t index) const;
    /// The same, brought under the first input's axes as the attributes `axis` and `broadcast` of
    /// operator sets before 7 say.
    [[nodiscard]] Tensor aligned_input(size_t index) const;
    [[nodiscard]] bool is_known(size_t index) const;
    /// The elements of an integer input.
    [[nodiscard]] IntList ints(size_t index) const;

    /// The first element of an input that needs one.
    [[nodiscard]] double number(size_t index) const;

    [[nodiscard]] bool has_attribute(std::string_view name) const;
    [[nodiscard]] int64_t attribute(std::string_view name, int64_t fallback) const;
    [[nodiscard]] double attribute(std::string_view name, double fallback) const;
    [[nodiscard]] std::string attribute(std::string_view name, const char* fallback) const;
    [[nodiscard]] IntList attribute(std::string_view name, const IntList& fallback) const;
    [[nodiscard]] Tensor tensor_attribute(std::string_view name) const;
    [[nodiscard]] std::vector<double> floats_attribute(std::string_view name) const;
    [[nodiscard]] std::vector<std::string> texts_attribute(std::string_view name) const;
    [[nodiscard]] const Body& body_attribute(std::string_view name) const;

    /// `axis` counted from the front. `ndim` is the number of axes there are.
    [[nodiscard]] int64_t axis_from_front(int64_t axis, int64_t ndim) const;
    /// The same for each, sorted, without repetition.
    [[nodiscard]] IntList axes_from_front(const IntList& axes, int64_t ndim) const;

    /// Runs one IR op and returns its first result.
    Tensor call(std::string_view ir_name, NamedValues arguments);
    /// All results; the elements of a list of tensors count as results.
    std::vector<Tensor> call_all(std::string_view ir_name, NamedValues arguments);

    /// Runs a body of this node; its outputs, which do not follow from the model alone.
    std::vector<GraphValue> run_body(const Body& body, std::vector<GraphValue> inputs);

    /// What the loops of this run may still do.
    [[nodiscard]] RunBudget& budget() { return budget_; }

    [[nodiscard]] size_t output_count() const { return node_.outputs.size(); }
    [[nodiscard]] bool wants_output(size_t index) const {
        return index < node_.outputs.size() && node_.outputs[index] != kNoValue;
    }
    void set_output(size_t index, Tensor tensor);
    /// A value of any kind.
    void set_value(size_t index, GraphValue value);
    /// A value that follows from the model alone although an input does not (a shape).
    void set_known_output(size_t index, Tensor tensor);

    void require(bool condition, const std::string& otherwise) const;
    [[noreturn]] void unsupported(const std::string& why) const;

  private:
    template <class T>
    [[nodiscard]] const T* find_attribute(std::string_view name) const;

    const Node& node_;
    std::vector<Slot>& slots_;
    Executor& executor_;
    RunBudget& budget_;
    bool on_host_ = true;
};

}  // namespace npuscope::onnx_model
