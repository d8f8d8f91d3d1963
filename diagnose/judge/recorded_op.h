// One recorded op as a call of the executor: its arguments by the schema's names, whatever
// framework recorded it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/naming/aliases.h"
#include "core/recording/source.h"
#include "npu_backend/executor.h"
#include "npu_backend/ops/op.h"

namespace npuscope::diagnose {

/// Borrows the op's row; keeps what was recorded of the op, but for the elements.
class RecordedOp {
  public:
    /// Errors: as SourceOp::load and facts.
    RecordedOp(const SourceOp& recorded, const backend::Op& op);

    /// A mask that was not recorded asks for the recorded results, a list of integers that the op
    /// needs is empty, as is one of tensors beside others that were recorded, an image is resized
    /// to the recorded result's extents, a tensor that is made of numbers has the recorded result's
    /// dtype; what else was not recorded is left out. Errors: as SourceTensor::open.
    [[nodiscard]] NamedValues arguments() const;
    /// Tensors with elements.
    [[nodiscard]] const std::vector<SourceTensor>& outputs() const { return outputs_; }
    [[nodiscard]] bool has_inputs() const { return !inputs_.empty(); }
    /// Whether it takes no tensors (linspace), and what it takes was recorded.
    [[nodiscard]] bool is_made_of_numbers() const;
    [[nodiscard]] const std::string& path() const { return path_; }
    /// The tensor's argument as the schema calls it.
    [[nodiscard]] std::string name_of_argument(const SourceTensor& tensor) const {
        return tensor.name.empty() ? canonical(tensor.argument) : tensor.name;
    }
    [[nodiscard]] std::string canonical(const std::string& argument) const;

  private:
    /// schema_name() where arguments are numbered in the schema's order, else "".
    [[nodiscard]] std::string by_number(const std::string& recorded) const;
    [[nodiscard]] const SourceTensor* input(const std::string& name) const;
    [[nodiscard]] Value list_of(const std::string& name) const;
    [[nodiscard]] Value value_of(const backend::Argument& argument) const;
    void take_size_of_resized(NamedValues& values) const;
    /// Of an op that makes a tensor of numbers alone: that of its result, where none was recorded.
    void take_dtype_of_created(NamedValues& values) const;

    const backend::Op& op_;
    std::string path_;  ///< as recorded
    const Alias* alias_;
    bool is_numbered_;  ///< as is_pytorch_call()
    std::vector<SourceTensor> inputs_;
    std::vector<SourceTensor> outputs_;
    std::vector<PlainArgument> numbers_;
};

/// Whether a recorder of PyTorch's own calls wrote the op, by its name in the recording
/// ("aten.mul.Tensor"): then numbered arguments are in the schema's order. Others number them in an
/// order of their own.
[[nodiscard]] bool is_pytorch_call(const SourceOp& recorded);

/// Of an argument that was recorded by its place, "1" or "args_1/args_1_0", its name in the schema;
/// "" of other names.
[[nodiscard]] std::string schema_name(const std::string& recorded,
                                      const std::vector<backend::Argument>& arguments);

/// The executor's op of that name or, through the aliases, of another framework's, or a composed
/// one; nullptr when there is none.
[[nodiscard]] const backend::Op* row_of(std::string_view recorded_name);
/// Of a name that leaves the overload open, overload_of(). Errors: as SourceOp::load.
[[nodiscard]] const backend::Op* row_of(const SourceOp& recorded);

/// The runs of ops that a recorded run came to: itself, or its calls. Empty, with the reason in
/// `why_not`, where there are none. Threads: any.
[[nodiscard]] std::vector<SourceOp> calls_of(const SourceOp& recorded, std::string& why_not);

/// nullptr when there is no such tensor; `path` is "name" or, in a list, "name/name_0".
[[nodiscard]] const Tensor* result_named(const Results& results, const std::string& path);

}  // namespace npuscope::diagnose
